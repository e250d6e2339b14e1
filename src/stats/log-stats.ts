import { formatUtcSecond, formatIso } from '../log/timestamp.js';
import { jsonFieldsOf, type JsonFields } from '../log/byte-string.js';
import { sourcesOf, type Counted, type LinePlace, type LinePlaces } from '../reading/line-places.js';
import { logFilesOf, type LogBytes } from '../reading/log-files.js';
import { countLog, type LogCounts } from './count-log.js';
import { stampOf, type Peak } from './timeline.js';

/** The place of a line: its number, or an object with its file where the log has several. */
export type StatsPlace = number | LinePlace;

/** The second or the minute with the most groups. */
export interface BusiestStretch {
  /** Its beginning, in ISO 8601 with the offset that the log shows. */
  readonly from: string;
  readonly groups: number;
}

/** A text by the name of its field, with its bytes where it is not UTF-8, and the number of groups (or of messages: `count`) that have it. */
export type TextCount<Name extends string, Counted extends string = 'groups'> = JsonFields<Name> &
  Readonly<Record<Counted, number>>;

/** The groups of a stretch of time. */
export interface BucketCount {
  /** Its beginning on the log's own clock, in ISO 8601 without an offset. */
  readonly start: string;
  readonly groups: number;
}

/**
 * The figures of a log, as `stats --json` writes them. A group is counted if it is whole. Times are in ISO 8601 with the offset that the
 * log shows, and null for a log without a whole group. Texts that are not UTF-8 hold U+FFFD; a field with `_base64` behind its name then
 * holds the bytes.
 */
export interface LogStats {
  /** The name of the log; missing where there are several. */
  readonly source?: string | undefined;
  /** The names of the logs, in the order in which they were read; missing where there is one. */
  readonly sources?: readonly string[];
  /** The time of the earliest group. */
  readonly first: string | null;
  /** The time of the latest group. */
  readonly last: string | null;
  readonly span_seconds: number | null;
  readonly groups: number;
  /** All records, those of incomplete groups too. */
  readonly records: number;
  /** The number of groups that are missing a record. */
  readonly incomplete_groups: number;
  /** The lines on which the first five of them begin. */
  readonly incomplete_groups_at: readonly StatsPlace[];
  /** The number of lines that are not records. */
  readonly foreign_lines: number;
  /** The first five of them. */
  readonly foreign_lines_at: readonly StatsPlace[];
  /** Foreign lines that would be records without the CR at their end. */
  readonly foreign_lines_with_cr: number;
  /** The patterns of the foreign messages, the most frequent first: messages, of one line or several, that differ in digits, addresses, names and quoted values are one. */
  readonly foreign_messages: readonly TextCount<'message', 'count'>[];
  /** The number of foreign messages that are not listed. */
  readonly foreign_messages_other: number;
  /** The number of groups that are earlier than the group above them (6.4). */
  readonly steps_back: number;
  /** The lines on which the first five of them begin. */
  readonly steps_back_at: readonly StatsPlace[];
  /** The second with the most groups. */
  readonly busiest_second: BusiestStretch | null;
  /** The minute of the clock with the most groups. */
  readonly busiest_minute: BusiestStretch | null;
  /** The methods, the most frequent first. */
  readonly methods: readonly TextCount<'http_method'>[];
  /** The number of groups whose methods are not listed. */
  readonly methods_other: number;
  /** True if the targets were too many, and are counted by path. */
  readonly targets_without_query: boolean;
  /** The targets, the most frequent first. */
  readonly targets: readonly TextCount<'request_target'>[];
  /** The number of groups whose targets are not listed. */
  readonly targets_other: number;
  /** The width of the buckets in seconds. */
  readonly bucket_seconds: number;
  /** The buckets that are not empty, in order. */
  readonly buckets: readonly BucketCount[];
}

function statsOf(counts: LogCounts, places: LinePlaces): LogStats {
  const { first, last, targets, methods, timeline, peakSecond, peakMinute, foreignMessages } = counts;
  const { width, buckets } = timeline.occupied();
  return {
    ...sourcesOf(places),
    first: first ? formatIso(first) : null,
    last: last ? formatIso(last) : null,
    span_seconds: first && last ? last.second - first.second : null,
    groups: counts.groups,
    records: counts.records,
    incomplete_groups: counts.incomplete.count,
    incomplete_groups_at: placesOf(counts.incomplete, places),
    foreign_lines: counts.foreign.count,
    foreign_lines_at: placesOf(counts.foreign, places),
    foreign_lines_with_cr: counts.foreignWithCr,
    foreign_messages: foreignMessages.sorted().map(({ name, count }) => ({ ...jsonFieldsOf('message', name), count })),
    foreign_messages_other: foreignMessages.other,
    steps_back: counts.stepsBack.count,
    steps_back_at: placesOf(counts.stepsBack, places),
    busiest_second: peakOf(peakSecond),
    busiest_minute: peakOf(peakMinute),
    methods: methods.sorted().map(({ name, count }) => ({ ...jsonFieldsOf('http_method', name), groups: count })),
    methods_other: methods.other,
    targets_without_query: targets.isShortened,
    targets: targets.sorted().map(({ name, count }) => ({ ...jsonFieldsOf('request_target', name), groups: count })),
    targets_other: targets.other,
    bucket_seconds: width,
    buckets: buckets.map(({ start, count }) => ({ start: formatUtcSecond(start), groups: count })),
  };
}

function placesOf({ lines }: Counted, { sources, placeOf }: LinePlaces): readonly StatsPlace[] {
  return lines.map((line) => (sources.length > 1 ? placeOf(line) : placeOf(line).line));
}

function peakOf({ busiest }: Peak): BusiestStretch | null {
  return busiest === undefined ? null : { from: formatIso(stampOf(busiest)), groups: busiest.count };
}

/** Formats counts as one line of JSON, a `LogStats`; ends in LF. */
export function formatJson(counts: LogCounts, places: LinePlaces): string {
  return `${JSON.stringify(statsOf(counts, places))}\n`;
}

/**
 * Counts what is in a log, as the command `stats --json` does, in bounded memory.
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 */
export async function stats(log: LogBytes): Promise<LogStats> {
  const files = logFilesOf(log);
  const counts = await countLog(files);
  if (counts.failure !== undefined) throw counts.failure;
  return statsOf(counts, files);
}
