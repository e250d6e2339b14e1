import { haveSameDescriptor, type LogRecord } from '../log/line.js';

/** A record of a log, its line, and its place in a group. */
export interface Entry {
  readonly record: LogRecord;
  /** The physical line, from 1. */
  readonly line: number;
  /**
   * Its place in a group (section 6): that of the plugin that it names, the number of plugins for a deprecation record, `UNKNOWN` for a
   * plugin that is not in the list.
   */
  readonly place: number;
}

/** The place of a plugin that is not in the list. */
export const UNKNOWN = -1;

/** Tells the place of a record in a group. @param pluginFilePaths in reporting order, none twice */
export function placesIn(pluginFilePaths: readonly string[]): (record: LogRecord) => number {
  const places = new Map(pluginFilePaths.map((path, place) => [path, place]));
  return (record) => (record.kind === 'deprecation' ? pluginFilePaths.length : (places.get(record.pluginFilePath) ?? UNKNOWN));
}

/** True for a load failure whose text stands on the line before, too, as that of the entry before. */
export function repeats({ place, line, record }: Entry, before: Entry | undefined): boolean {
  if (before?.line !== line - 1 || before.place !== place || record.kind !== 'load_failure') return false;
  return (
    before.record.kind === 'load_failure' &&
    before.record.localSecond === record.localSecond &&
    haveSameDescriptor(before.record, record)
  );
}
