import { descriptorOf, type LoadFailure } from '../log/line.js';
import type { CheckedEntry } from './checked-lines.js';

/** The field values that most records of a group have: those of the group, whatever single records show. */
export interface CommonFields {
  readonly timestamp: string;
  readonly utcOffset: string;
  readonly descriptor: string;
}

/** The load failures among the records of a group, in order. */
export function failuresOf(entries: readonly CheckedEntry[]): readonly LoadFailure[] {
  return entries.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
}

/** Finds the common fields of a group's records. */
export function commonFieldsOf(entries: readonly CheckedEntry[]): CommonFields {
  const failures = failuresOf(entries);
  return {
    timestamp: mostFrequent(entries.map(({ record }) => record.timestamp)),
    utcOffset: mostFrequent(failures.map(({ utcOffset }) => utcOffset)),
    descriptor: mostFrequent(failures.map(descriptorOf)),
  };
}

/** The most frequent text; of equally frequent texts the first; empty for none. */
function mostFrequent(texts: readonly string[]): string {
  const [first = ''] = texts;
  if (texts.every((text) => text === first)) return first;
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  let best = '';
  for (const [text, count] of counts) if (count > (counts.get(best) ?? 0)) best = text;
  return best;
}
