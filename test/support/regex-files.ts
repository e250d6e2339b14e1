import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord, type LogRecord } from '../../src/log/line.js';
import { PROJECT } from './run.js';

/** The kinds of record, as files of `parsers/regex/` name them. */
export const KINDS = ['load-failure', 'deprecation'] as const;
export type Kind = (typeof KINDS)[number];

/** The syntax of groups in a regular expression: `(…)`, `(?<name>…)`, `(?P<name>…)`. */
export type Form = 'numbered' | 'named' | 'python-named';
export const FORMS = ['numbered', 'named', 'python-named'] as const;

/** The path of a regular expression of `parsers/regex/`. */
export function regexPath(kind: Kind, form: Form): string {
  return join(PROJECT, `parsers/regex/${kind}.${form}.txt`);
}

/** A regular expression of `parsers/regex/`, without the LF at the end of its file. */
export function readRegex(kind: Kind, form: Form): string {
  return readFileSync(regexPath(kind, form), 'utf8').replace(/\n$/, '');
}

/**
 * The captures that the regular expression of a kind is to find in a log, as `parseRecord` reads them: a line a record of that kind,
 * a space between two fields.
 *
 * @param log a byte string
 */
export function expectedCaptures(log: string, kind: Kind): string {
  return log
    .split('\n')
    .flatMap((line) => {
      const record = parseRecord(line);
      return record?.kind.replace('_', '-') === kind ? `${captures(record).join(' ')}\n` : [];
    })
    .join('');
}

/** The fields of a record, in their order on its line. */
function captures(record: LogRecord): readonly (string | number)[] {
  return record.kind === 'load_failure'
    ? [
        record.timestamp,
        record.utcOffset,
        record.runtimeTag,
        record.pluginFilePath,
        record.pluginLoaderFilePath,
        record.lineNumber,
        record.httpMethod,
        record.requestTarget,
      ]
    : [record.timestamp, record.timezoneName, record.runtimeTag, record.sessionFilePath, record.lineNumber];
}
