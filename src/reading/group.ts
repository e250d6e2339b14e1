import type { Deprecation, LoadFailure } from '../log/line.js';
import type { Entry, RecordGroup } from './record-group.js';

/** A whole group as it stands in a log (6). */
export interface Group {
  /** The physical line of its first record. */
  readonly line: number;
  /** One for each plugin, in reporting order. */
  readonly failures: readonly LoadFailure[];
  readonly deprecation: Deprecation | undefined;
}

/** The group that was put together from records; undefined for one in which a record is missing. */
export function groupOf<E extends Entry>({ isWhole, firstLine, entries, ending }: RecordGroup<E>): Group | undefined {
  if (!isWhole || ending?.record.kind !== 'deprecation') return undefined;
  return {
    line: firstLine,
    failures: entries.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : [])),
    deprecation: ending.record,
  };
}
