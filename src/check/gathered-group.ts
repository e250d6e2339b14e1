import type { LoadFailure } from '../log/line.js';
import { MAX_SPAN_SECONDS } from '../reading/open-group.js';
import { UNKNOWN, type Entry } from './entry.js';

/** The records that were found to be one group, as far as they have come. */
export class GatheredGroup {
  readonly entries: Entry[];
  /** The first group that began before this one had ended, and the line where it did. */
  interruption: { readonly by: GatheredGroup; readonly line: number } | undefined;
  /** `ended` by its deprecation record; `given-up` when that is no longer waited for. */
  state: 'open' | 'ended' | 'given-up' = 'open';
  /** Its only record is the deprecation record of the group above once more. */
  readonly isRepeatedEnd: boolean;

  constructor(first: Entry, isRepeatedEnd = false) {
    this.entries = [first];
    this.isRepeatedEnd = isRepeatedEnd;
  }

  /** Whether it is no group at all: its records are each one too many. */
  get isSurplus(): boolean {
    return this.isRepeatedEnd || this.entries.every(({ place }) => place === UNKNOWN);
  }

  get firstLine(): number {
    return this.entries[0]?.line ?? 0;
  }

  get last(): Entry | undefined {
    return this.entries.at(-1);
  }

  /** The first load failure; a deprecation record has no descriptor and no offset. */
  get failure(): LoadFailure | undefined {
    for (const { record } of this.entries) if (record.kind === 'load_failure') return record;
    return undefined;
  }
}

/** The place of the record that comes next if nothing is broken; a plugin that is not known takes none. */
export function nextPlaceOf({ entries }: GatheredGroup): number {
  return (entries.findLast(({ place }) => place !== UNKNOWN)?.place ?? -1) + 1;
}

/** The line of the latest record; 0 for no group. */
export function lastLineOf(group: GatheredGroup | undefined): number {
  return group?.last?.line ?? 0;
}

/** Whether a load failure and a group are at most 2 s apart. By the clock, so that a wrong offset does not tell records apart; or by the instant, across a change of the clocks. */
export function isNear(failure: LoadFailure, { entries }: GatheredGroup): boolean {
  for (const one of [entries[0], entries.at(-1)]) {
    if (one === undefined) continue;
    const { record } = one;
    if (Math.abs(record.localSecond - failure.localSecond) <= MAX_SPAN_SECONDS) return true;
    if (record.kind === 'load_failure' && Math.abs(record.second - failure.second) <= MAX_SPAN_SECONDS) return true;
  }
  return false;
}

/** Whether a load failure has the descriptor of the first one of a group. */
export function isSameDescriptor({ httpMethod, requestTarget }: LoadFailure, { failure }: GatheredGroup): boolean {
  return failure?.httpMethod === httpMethod && failure.requestTarget === requestTarget;
}

/** Whether a load failure has descriptor and time of a group. */
export function isOfGroup(failure: LoadFailure, group: GatheredGroup): boolean {
  return isSameDescriptor(failure, group) && isNear(failure, group);
}

/** What is kept of a group's targets, about. */
export function sizeOf({ entries }: GatheredGroup): number {
  let bytes = 0;
  let target = '';
  for (const { record } of entries) {
    if (record.kind === 'deprecation' || record.requestTarget === target) continue;
    target = record.requestTarget;
    bytes += target.length;
  }
  return bytes;
}
