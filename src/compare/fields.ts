import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { LogLineCutter, recordOn } from '../input/log-lines.js';
import { formatUtcSecond, localSecondOf } from '../log/timestamp.js';
import { FIELD_NAMES as RECORD_FIELDS, fieldOf as recordFieldOf } from '../log/fields.js';
import type { LogRecord } from '../log/line.js';
import { DeprecationInstants } from '../reading/deprecation-instants.js';
import { InferredGroups } from '../reading/inferred-groups.js';
import { LogReader } from '../reading/log-reader.js';
import { LoggedLines } from '../reading/logged-lines.js';
import { quoteText } from '../wording.js';
import type { NoRecord, ObjectReader } from './json-records.js';
import { blocksOf, type ReadLine, type RecordBlock, type RecordReader, type TextRecord } from './records.js';

/** The fields of records that can be compared, by the names that `parse --as records` gives them. */
export const FIELD_NAMES = ['kind', 'instant', ...RECORD_FIELDS] as const;

/** The name of a field of a record, as `parse --as records` names it. */
export type FieldName = (typeof FIELD_NAMES)[number];

/** The value of a field, a byte string; empty where the record has none, and for the instant, which follows from others. */
export function fieldOf(record: LogRecord, name: FieldName): string {
  if (name === 'instant') return '';
  return name === 'kind' ? record.kind : String(recordFieldOf(record, name) ?? '');
}

/** The compared fields of parsed records, and the path of each in an object: keys with dots between them. */
export type FieldPaths = ReadonlyMap<FieldName, string>;

/** Between the values of a compared record, and between the two instants that it can mean: no value of the log holds these. */
export const BETWEEN_VALUES = '\n';
export const BETWEEN_INSTANTS = '\0';

/** The value at a path of keys with dots between them. A key that holds dots itself comes first; elements of arrays have numbers. */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return Reflect.get(value, path);
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const key = path.slice(0, dot);
    const found = Object.hasOwn(value, key) ? valueAt(Reflect.get(value, key), path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the raw line in a field (`--field`). An LF at its end is that of the line, as Docker's json-file driver keeps it. */
export function readLineField(path: string): ObjectReader {
  const absent: NoRecord = { reason: `no field ${quoteText(path)}`, isAbsent: true };
  const notText: NoRecord = { reason: `its field ${quoteText(path)} is not text` };
  return {
    isParsed: false,
    read: (value) => {
      const found = valueAt(value, path);
      if (found === undefined || found === null) return absent;
      if (typeof found === 'number') return String(found);
      if (typeof found !== 'string') return notText;
      return found.endsWith('\n') ? found.slice(0, -1) : found;
    },
  };
}

/** Reads the fields of `--fields`: absent, null and empty ones are those that a record does not have. Objects without any are passed over. */
export function readParsedFields(fields: FieldPaths): ObjectReader {
  const paths = Array.from(fields);
  return {
    isParsed: true,
    read: (value) => {
      const values = paths.map(([name, path]) => {
        const text = textOf(valueAt(value, path));
        return name === 'instant' ? normalizeInstant(text) : text;
      });
      return values.every((text) => text === '') ? undefined : values.join(BETWEEN_VALUES);
    },
  };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

interface ExpectedOptions {
  readonly fields: FieldPaths;
  readonly kind: LogRecord['kind'] | undefined;
}

/** Makes the reader of the fields of the records of a log. The instant of a deprecation record is that of its group. */
export function createFieldsReader(options: ExpectedOptions, opener?: EnvelopeOpener): RecordReader {
  const cutter = new LogLineCutter({ opener });
  const log = new LogReader(new InferredGroups());
  const lines = new LoggedLines();
  let passedOver = 0;
  const take = (): readonly RecordBlock[] => {
    const records: TextRecord[] = [];
    for (const { record, line, text, second } of lines.take(log)) {
      const compared = fieldsOf(record, second === undefined ? [] : [second], options);
      if (compared === undefined) passedOver += 1;
      else records.push({ compared, line: opener?.lineOf(line) ?? line, text });
    }
    return blocksOf(0, records);
  };
  return {
    get passedOver() {
      return passedOver + log.foreign.count;
    },
    *read(chunk) {
      for (const block of chunk === undefined ? cutter.end() : cutter.cut(chunk)) {
        log.add(block);
        yield* take();
      }
      if (chunk !== undefined) return;
      log.end();
      yield* take();
    },
  };
}

/** Reads the same of a log that grows, by lines. The instant of a deprecation record is its own time, in the repeated hour of autumn either. */
export function readGrowingFields(options: ExpectedOptions): ReadLine {
  const instants = new DeprecationInstants();
  return (text, line) => {
    const record = recordOn(text);
    if (record === undefined) return [undefined];
    const seconds = record.kind === 'load_failure' ? [record.second] : instants.secondsOf(record);
    const compared = fieldsOf(record, seconds, options);
    return [compared === undefined ? undefined : { compared, line, text }];
  };
}

function fieldsOf(record: LogRecord, seconds: readonly number[], { fields, kind }: ExpectedOptions): string | undefined {
  if (kind !== undefined && record.kind !== kind) return undefined;
  const instant = seconds.map(formatInstant).join(BETWEEN_INSTANTS);
  const values = Array.from(fields.keys(), (name) => (name === 'instant' ? instant : fieldOf(record, name)));
  return values.every((value) => value === '') ? undefined : values.join(BETWEEN_VALUES);
}

/** ISO 8601 with an offset, extended (`2025-05-18T12:00:00.5+02:00`) or basic (`20250518T120000+0200`); a blank may stand for the `T`. */
const ISO = /^(\d{4})-?(\d\d)-?(\d\d)[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)? ?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/** Unix time in s, ms, µs or ns, with or without a fraction. Seconds have 11 digits at most: until the year 5138. */
const UNIX = /^(-?\d{1,11})(?:\d{3}){0,3}(?:\.\d+)?$/;

/** An instant as `parse` writes it, of ISO 8601 with an offset or of Unix time, fractions cut. Any other text stays unchanged. */
function normalizeInstant(text: string): string {
  const unix = UNIX.exec(text);
  if (unix !== null) return formatInstant(Number(unix[1]));
  const iso = ISO.exec(text);
  if (iso === null) return text;
  const [, year, month, day, hour, minute, second, sign, offsetHours, offsetMinutes] = iso;
  const local = localSecondOf(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second ?? 0));
  const offset = Number(offsetHours ?? 0) * 3600 + Number(offsetMinutes ?? 0) * 60;
  const utc = sign === '-' ? local + offset : local - offset;
  return Number.isNaN(utc) ? text : formatInstant(utc);
}

function formatInstant(second: number): string {
  return `${formatUtcSecond(second)}Z`;
}
