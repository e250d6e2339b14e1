import { parseRecord, type LogRecord } from '../log/line.js';
import type { Comparison } from './compare-logs.js';
import { readLineField } from './field-record.js';
import { parseJsonLine } from './json-lines.js';
import { valueAt } from './json-path.js';
import { fieldOf } from './record-fields.js';

/** Tells the records of both sides by keys: equal records have equal keys. */
export interface ArrivalKeys {
  /** The key of a line that was sent, a byte string without LF; undefined for a line that is not compared. */
  readonly ofSent: (line: string) => string | undefined;
  /** The keys of the records in a line that was received. */
  readonly ofReceived: (line: string) => readonly string[];
}

/** What collectors make of bytes that are not UTF-8, and such bytes themselves. */
const LOSSY = /(?:\\x[0-9a-f]{2}|\?|[\x80-\xff])+/g;

/**
 * The keys of a comparison. An instant is not part of a key: that of a deprecation record is known only when its group is.
 *
 * @param isLossy true where bytes that are not UTF-8 may have changed
 */
export function arrivalKeys(comparison: Comparison, kind: LogRecord['kind'] | undefined, isLossy: boolean): ArrivalKeys {
  const key = (text: string): string => (isLossy ? text.replace(LOSSY, '?') : text);
  if (comparison.as === 'fields') {
    const paths = Array.from(comparison.fields).filter(([name]) => name !== 'instant');
    return {
      ofSent: (line) => {
        const record = parseRecord(line);
        if (record === undefined || (kind !== undefined && record.kind !== kind)) return undefined;
        return key(paths.map(([name]) => fieldOf(record, name, undefined)).join('\n'));
      },
      ofReceived: (line) =>
        parseJsonLine(line).values.map((value) => key(paths.map(([, path]) => textOf(valueAt(value, path))).join('\n'))),
    };
  }
  const ofSent = (line: string): string | undefined =>
    kind === undefined || parseRecord(line)?.kind === kind ? key(line) : undefined;
  if (comparison.as === 'lines') return { ofSent, ofReceived: (line) => [key(line)] };
  const read = readLineField(comparison.path);
  return {
    ofSent,
    ofReceived: (line) =>
      parseJsonLine(line).values.flatMap((value) => {
        const found = typeof value === 'object' && value !== null ? read(value) : undefined;
        return found !== undefined && 'text' in found ? [key(found.text)] : [];
      }),
  };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
