import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldOf, FIELDS_OF } from '../../src/log/fields.js';
import { parseRecord } from '../../src/log/line.js';
import { PROJECT } from './run.js';

/** The kinds of record, as files of `parsers/regex/` name them. */
export const KINDS = ['load-failure', 'deprecation'] as const;
export type Kind = (typeof KINDS)[number];

/** The syntax of groups in a regular expression: `(…)`, `(?<name>…)`, `(?P<name>…)`. */
export type Form = 'numbered' | 'named' | 'python-named';
export const FORMS = ['numbered', 'named', 'python-named'] as const;

export function regexPath(kind: Kind, form: Form): string {
  return join(PROJECT, `parsers/regex/${kind}.${form}.txt`);
}

export function readRegex(kind: Kind, form: Form): string {
  return readFileSync(regexPath(kind, form), 'utf8').replace(/\n$/, '');
}

/** The fields that the expression of a kind is to find in a log, a line a record, as `parseRecord` reads them; without the session id. */
export function expectedCaptures(log: string, kind: Kind): string {
  return log
    .split('\n')
    .flatMap((line) => {
      const record = parseRecord(line);
      if (record?.kind.replace('_', '-') !== kind) return [];
      const names = FIELDS_OF[record.kind].filter((name) => name !== 'session_id');
      return `${names.map((name) => String(fieldOf(record, name))).join(' ')}\n`;
    })
    .join('');
}
