import { jsonFieldsOf } from '../log/json-text.js';
import { formatIso } from '../log/timestamp.js';
import { sourcesOf, type LinePlace, type LinePlaces } from '../reading/line-places.js';
import type { Counted } from '../reading/tally.js';
import type { NameCount } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import type { Busiest } from './peak.js';

/**
 * Formats counts as one line of JSON; ends in LF. Times are ISO 8601 with the offset that the log shows; `null` in a log without
 * requests. The `start` of a bucket is on the log's own clock, without an offset. Lines are numbers; in a log of several files, objects
 * with `source` and `line`.
 *
 * @param places of the files of the log
 */
export function formatJson(counts: LogCounts, places: LinePlaces): string {
  const { first, last, targets, methods, timeline, peakSecond, peakMinute } = counts;
  const { width, buckets } = timeline.occupied();
  const json = JSON.stringify({
    ...sourcesOf(places),
    first: first === undefined ? null : formatIso(first),
    last: last === undefined ? null : formatIso(last),
    span_seconds: first === undefined || last === undefined ? null : last.second - first.second,
    groups: counts.groups,
    records: counts.records,
    incomplete_groups: counts.incomplete.count,
    incomplete_groups_at: linesOf(counts.incomplete, places),
    foreign_lines: counts.foreign.count,
    foreign_lines_at: linesOf(counts.foreign, places),
    foreign_lines_with_cr: counts.foreignWithCr,
    foreign_messages: counts.foreignMessages.counts
      .sorted()
      .map(({ name, count }) => ({ ...jsonFieldsOf('message', name), count })),
    foreign_messages_other: counts.foreignMessages.counts.other,
    steps_back: counts.stepsBack.count,
    steps_back_at: linesOf(counts.stepsBack, places),
    busiest_second: busiest(peakSecond.busiest),
    busiest_minute: busiest(peakMinute.busiest),
    methods: methods.sorted().map((name) => named('http_method', name)),
    methods_other: methods.other,
    targets_without_query: targets.isShortened,
    targets: targets.sorted().map((name) => named('request_target', name)),
    targets_other: targets.other,
    bucket_seconds: width,
    buckets: buckets.map(({ start, count }) => ({ start: new Date(start * 1000).toISOString().slice(0, 19), groups: count })),
  });
  return `${json}\n`;
}

function linesOf({ lines }: Counted, { sources, placeOf }: LinePlaces): readonly (number | LinePlace)[] {
  return sources.length > 1 ? lines.map(placeOf) : lines;
}

function busiest(stretch: Busiest | undefined): { readonly from: string; readonly groups: number } | null {
  return stretch === undefined ? null : { from: formatIso(stretch.stamp), groups: stretch.count };
}

function named(field: string, { name, count }: NameCount): Readonly<Record<string, string | number>> {
  return { ...jsonFieldsOf(field, name), groups: count };
}
