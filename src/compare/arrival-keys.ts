import { parseRecord, type LogRecord } from '../log/line.js';
import type { Comparison } from './compare-options.js';
import { readLineField } from './field-record.js';
import { isObject } from '../arguments.js';
import { parseJsonLine } from './json-lines.js';
import type { ObjectReader } from './json-records.js';
import { fieldsOfLine, readParsedFields, type FieldPaths } from './parsed-fields.js';

/** Tells the records of both sides by keys, which are byte strings: equal records have equal keys. */
export interface ArrivalKeys {
  /** The key of a line that was sent, a byte string without LF; undefined for a line that is not compared. */
  readonly ofSent: (line: string) => string | undefined;
  /** The keys of the records in a line that was received. */
  readonly ofReceived: (line: string) => readonly string[];
}

/** The keys of a comparison. */
export function arrivalKeys(comparison: Comparison, kind: LogRecord['kind'] | undefined): ArrivalKeys {
  if (comparison.as === 'fields') {
    const fields = withoutInstant(comparison.fields);
    const ofSent = (line: string): string | undefined => {
      const record = parseRecord(line);
      const isCompared = record !== undefined && (kind === undefined || record.kind === kind);
      return isCompared ? fieldsOfLine(Buffer.from(line, 'latin1'), fields).toString('latin1') : undefined;
    };
    return { ofSent, ofReceived: keysOfObjects(readParsedFields(fields)) };
  }
  const ofSent = (line: string): string | undefined =>
    kind === undefined || parseRecord(line)?.kind === kind ? line : undefined;
  return { ofSent, ofReceived: comparison.as === 'lines' ? (line) => [line] : keysOfObjects(readLineField(comparison.path)) };
}

/** The instant of a deprecation record is known only once its group is: the key leaves it out, unless it is the only field. */
function withoutInstant(fields: FieldPaths): FieldPaths {
  const others = Array.from(fields).filter(([name]) => name !== 'instant');
  return others.length === 0 ? fields : new Map(others);
}

function keysOfObjects({ read, keepsLongNumbers }: ObjectReader): ArrivalKeys['ofReceived'] {
  return (line) =>
    parseJsonLine(line, keepsLongNumbers).values.flatMap((value) => {
      const found = isObject(value) ? read(value) : undefined;
      return typeof found === 'string' ? [found] : [];
    });
}
