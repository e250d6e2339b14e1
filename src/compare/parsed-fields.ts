import { parseRecord, type LogRecord } from '../log/line.js';
import { DeprecationInstants } from '../reading/deprecation-instants.js';
import { readLoggedRecords } from '../reading/logged-records.js';
import { describeChange, type Alteration } from './alteration.js';
import type { FindAlteration } from './gap-pairs.js';
import { formatUtcSecond, secondOfInstant } from './instant-second.js';
import { valueAt } from './json-path.js';
import type { ObjectReader } from './json-records.js';
import type { RecordBlock, RecordMark } from './record-block.js';
import { fieldOf, type FieldName } from './record-fields.js';

/** The compared fields of parsed records, and the path of each in an object: keys with dots between them. */
export type FieldPaths = ReadonlyMap<FieldName, string>;

/** The compared part of a record: its values, in the order of the names. No value of the log holds an LF. */
function joinValues(values: readonly string[]): string {
  return values.join('\n');
}

/**
 * Reads the named fields of an object (`--fields`). A field that is absent, null or empty is that of a record which has none. An object
 * in which all are so is passed over.
 */
export function readParsedFields(fields: FieldPaths): ObjectReader {
  const paths = Array.from(fields);
  const read: ObjectReader['read'] = (value) => {
    const values = paths.map(([name, path]) => {
      const text = textOf(valueAt(value, path));
      return name === 'instant' ? normalizeInstant(text) : text;
    });
    return values.every((text) => text === '') ? undefined : joinValues(values);
  };
  return { read, keepsLines: true, keepsLongNumbers: true };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value);
  } catch {
    // Lists in lists, thousands deep, which JSON.parse takes: no field of a record.
    return TOO_DEEP;
  }
}

const TOO_DEEP = '(nested too deeply)';

/** An instant in the form in which `parse` writes it; a text that is not an instant stays as it is. */
function normalizeInstant(text: string): string {
  const second = secondOfInstant(text);
  return second === undefined ? text : formatUtcSecond(second);
}

/**
 * The compared part of a line of the expected log by itself. The instant of a deprecation record is then what its zone tells: in the
 * repeated hour of autumn the first.
 */
export function fieldsOfLine(line: Buffer, fields: FieldPaths): Buffer {
  const record = parseRecord(line.toString('latin1'));
  if (record === undefined) return Buffer.alloc(0);
  const second = record.kind === 'load_failure' ? record.second : new DeprecationInstants().secondsOf(record)[0];
  return Buffer.from(joinValues(Array.from(fields.keys(), (name) => fieldOf(record, name, second))), 'latin1');
}

interface ExpectedFieldOptions {
  readonly fields: FieldPaths;
  readonly kind: LogRecord['kind'] | undefined;
  /** Called with each record, of any kind. */
  readonly onRecord: (record: LogRecord) => void;
  /** Called with a number of lines and records that are not compared. */
  readonly onPassedOver: (lines: number) => void;
}

/** Reads the fields of the records of a log: the truth that parsed records are held against. */
export async function* readExpectedFields(
  chunks: AsyncIterable<Uint8Array>,
  { fields, kind, onRecord, onPassedOver }: ExpectedFieldOptions,
): AsyncGenerator<RecordBlock> {
  const names = Array.from(fields.keys());
  const records = readLoggedRecords(chunks, {
    onEnd: ({ foreign }) => {
      onPassedOver(foreign.count);
    },
  });
  for await (const batch of records) {
    const texts: string[] = [];
    const marks: RecordMark[] = [];
    let length = 0;
    for (const { record, line, second } of batch) {
      onRecord(record);
      if (kind !== undefined && record.kind !== kind) continue;
      const values = names.map((name) => fieldOf(record, name, second));
      if (values.every((value) => value === '')) continue;
      const text = joinValues(values);
      length += text.length;
      texts.push(text);
      marks.push({ end: length, line });
      length += 1;
    }
    onPassedOver(batch.length - texts.length);
    if (texts.length > 0) yield { bytes: Buffer.from(`${texts.join('\n')}\n`, 'latin1'), marks };
  }
}

/** Finds in what a parsed record differs from the line that it was parsed of: in one field, all others being equal. */
export function findParsedAlteration(fields: FieldPaths): FindAlteration {
  const names = Array.from(fields.keys());
  const moments = new DeprecationInstants();
  return (line, received): Alteration | undefined => {
    const record = parseRecord(line);
    const values = received.split('\n');
    if (record === undefined || values.length !== names.length) return undefined;
    const seconds = record.kind === 'load_failure' ? [record.second] : moments.secondsOf(record);
    const changes = names.flatMap((name, index) => {
      const value = values[index] ?? '';
      const truths = name === 'instant' ? seconds.map(formatUtcSecond) : [fieldOf(record, name, undefined)];
      return truths.includes(value) ? [] : [{ name, from: truths[0] ?? '', to: value }];
    });
    const [change] = changes;
    if (change === undefined || changes.length > 1) return undefined;
    const describe = (): string => describeChange(change.name, change.from, change.to);
    return { describe, likeness: 1 - 1 / (names.length + 1), isPiece: false };
  };
}
