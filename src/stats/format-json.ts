import { jsonFieldsOf } from '../log/json-text.js';
import { formatIso } from '../log/timestamp.js';
import type { NameCount } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import type { Busiest } from './peak.js';

/**
 * Formats counts as one line of JSON; ends in LF. Times are ISO 8601 with the offset that the log shows; `null` in a log without
 * requests. The `start` of a bucket is on the log's own clock, without an offset.
 *
 * @param source the log, as the user named it
 */
export function formatJson(counts: LogCounts, source: string): string {
  const { first, last, targets, methods, timeline, peakSecond, peakMinute } = counts;
  const { width, buckets } = timeline.occupied();
  const json = JSON.stringify({
    source,
    first: first === undefined ? null : formatIso(first),
    last: last === undefined ? null : formatIso(last),
    span_seconds: first === undefined || last === undefined ? null : last.second - first.second,
    groups: counts.groups,
    records: counts.records,
    incomplete_groups: counts.incomplete.count,
    incomplete_groups_at: counts.incomplete.lines,
    foreign_lines: counts.foreign.count,
    foreign_lines_at: counts.foreign.lines,
    foreign_lines_with_cr: counts.foreignWithCr,
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

function busiest(stretch: Busiest | undefined): { readonly from: string; readonly groups: number } | null {
  return stretch === undefined ? null : { from: formatIso(stretch.stamp), groups: stretch.count };
}

function named(field: string, { name, count }: NameCount): Readonly<Record<string, string | number>> {
  return { ...jsonFieldsOf(field, name), groups: count };
}
