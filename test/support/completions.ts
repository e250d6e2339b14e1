import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of a file that would make another file, were it evaluated. */
export const HOSTILE_NAME = 'o$(touch made)`touch made`;touch made';

/** A file that `HOSTILE_NAME` would make. */
export const MADE = 'made';

/** Makes the files and the folder that the lines of `COMPLETIONS` name. */
export function makeFiles(folder: string): void {
  mkdirSync(join(folder, 'site'));
  for (const name of ['error log', 'requests.csv', HOSTILE_NAME]) writeFileSync(join(folder, name), '');
}

/**
 * Command lines that only one word completes: the words before the cursor's, the beginning of that word, and the completed word, unquoted.
 * A space ends the completed word where nothing can follow in the same word.
 */
export const COMPLETIONS = [
  ['', 'rep', 'replay '],
  ['', '--v', '--version '],
  ['help', 'ser', 'serve '],
  ['completion', 'fi', 'fish '],
  ['check', '--inf', '--infer '],
  ['replay --order', 'so', 'sort '],
  ['replay', '--order=so', '--order=sort '],
  ['replay list.csv --live --dialect', 'p', 'php '],
  ['parse --as', 'dep', 'deployment '],
  ['compare sent.log --kind', 'd', 'deprecation '],
  ['synth --timezone', 'Europe/Wars', 'Europe/Warsaw '],
  ['synth', '--timezone=Europe/Wars', '--timezone=Europe/Warsaw '],
  ['synth --faults', 'torn:0.1,la', 'torn:0.1,late:'],
  ['synth', '--faults=torn:0.1,la', '--faults=torn:0.1,late:'],
  ['synth --faults', 'missing:1,mi', 'missing:1,mi'],
  ['synth --timezone', "'Europe/Wars", "'Europe/Warsaw' "],
  ['compare a b --fields', 'instant=time,req', 'instant=time,request_target='],
  ['compare a b', '--fields=instant=time,req', '--fields=instant=time,request_target='],
  ['check --allow', 'interleaved,for', 'interleaved,foreign'],
  ['check --allow path --allow', 'interleaved,inc', 'interleaved,incomplete'],
  ['replay', 'req', 'requests.csv '],
  ['parse', 'err', 'error log '],
  ['parse error.log --', 'req', 'requests.csv '],
  ['check -o', 'req', 'requests.csv '],
  ['check', '--output=req', '--output=requests.csv '],
  ['compare sent.log', 'o', `${HOSTILE_NAME} `],
  ['synth --install-root', 's', 'site/'],
] as const;
