import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content of `error.log` in a folder and of the files that it has become, the oldest first; byte strings. */
export function rotatedIn(folder: string): readonly string[] {
  const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
  const names = readdirSync(folder).filter((name) => name.startsWith('error.log'));
  return names
    .toSorted((first, second) => numberOf(second) - numberOf(first))
    .map((name) => readFileSync(join(folder, name), 'latin1'));
}
