import {
  AFTER_RUNTIME_TAG,
  DIALECT_GAPS,
  HANDLER_NOTICE,
  joinDeprecation,
  joinDescriptor,
  joinLoadFailure,
  TIMESTAMP_AT,
  TIMESTAMP_END,
  UTC_OFFSET_END,
  ZONE_AT,
  type DeprecationFields,
  type LoadFailureFields,
} from './record.js';
import { parseTimestamp, parseUtcOffset, type Stamp } from './timestamp.js';

/** A load-failure record read from a log (2.1). Its texts are byte strings without spaces. */
export interface LoadFailure extends LoadFailureFields {
  readonly kind: 'load_failure';
  readonly httpMethod: string;
  readonly requestTarget: string;
  /** The timestamp as if it were UTC: seconds since 1970-01-01T00:00:00. */
  readonly localSecond: number;
  /** The Unix second that timestamp and UTC offset show. */
  readonly second: number;
}

/** A deprecation record read from a log (2.2). Its texts are byte strings without spaces. */
export interface Deprecation extends DeprecationFields {
  readonly kind: 'deprecation';
  /** The timestamp as if it were UTC, in seconds. Without a UTC offset, a time in the repeated hour of autumn means two instants. */
  readonly localSecond: number;
}

/** A record of either kind. */
export type LogRecord = LoadFailure | Deprecation;

/** The kinds of record (2.1, 2.2). */
export const RECORD_KINDS = ['load_failure', 'deprecation'] as const satisfies readonly LogRecord['kind'][];

/** The bytes of a record: those of fields, and the spaces between them. */
const RECORD_BYTES = /^[\x20-\x7e\x80-\xff]*$/;

/** Decimal digits without a leading zero, so that each number is written in one way. */
const LINE_NUMBER = /^(?:0|[1-9]\d{0,15})$/;

/**
 * Parses a line in the shape of 2.1 or 2.2, in either dialect, with any paths, names, numbers, method and target. The inverse of
 * `formatLoadFailure` and `formatDeprecation`. Takes linear time for any line.
 *
 * @param line a byte string without the LF at its end
 * @returns undefined for a line of any other shape, and for a timestamp that does not exist
 * @throws TypeError for a line that is not a string
 */
export function parseRecord(line: string): LogRecord | undefined {
  requireLine(line);
  if (!line.startsWith('[') || line[TIMESTAMP_END] !== ' ' || !RECORD_BYTES.test(line)) return undefined;
  const localSecond = parseTimestamp(line, TIMESTAMP_AT);
  if (Number.isNaN(localSecond)) return undefined;
  const offset = parseUtcOffset(line, ZONE_AT);
  return Number.isNaN(offset) ? parseDeprecation(line, localSecond) : parseLoadFailure(line, localSecond, offset);
}

/** Refuses a value that is not a string: callers without types may pass anything. @throws TypeError */
function requireLine(line: unknown): void {
  if (typeof line !== 'string') throw new TypeError('line is not a string; give a line of a log');
}

/** Formats a record as its line, without an LF: the inverse of `parseRecord`. */
export function formatRecord(record: LogRecord): string {
  return record.kind === 'load_failure' ? joinLoadFailure(record, descriptorOf(record)) : joinDeprecation(record);
}

/**
 * True for a line that would be a record without the CR at its end. Only LF ends a record (1.3): in a log converted to CRLF, every
 * line is foreign.
 *
 * @param line a byte string without the LF at its end
 */
export function isRecordWithCr(line: string): boolean {
  return line.endsWith('\r') && parseRecord(line.slice(0, -1)) !== undefined;
}

/** The request descriptor of a load failure (2.4), a byte string. */
export function descriptorOf({ httpMethod, requestTarget }: LoadFailure): string {
  return joinDescriptor(httpMethod, requestTarget);
}

/** True for two load failures of the same method and request target. */
export function haveSameDescriptor(failure: LoadFailure, other: LoadFailure): boolean {
  return failure.requestTarget === other.requestTarget && failure.httpMethod === other.httpMethod;
}

function parseLoadFailure(line: string, localSecond: number, offset: number): LoadFailure | undefined {
  const cursor = new Cursor(line, UTC_OFFSET_END);
  cursor.skip(']: ');
  const runtimeTag = cursor.takeField();
  cursor.skip(AFTER_RUNTIME_TAG.load_failure);
  const pluginFilePath = cursor.takeField();
  cursor.skip(' in ');
  const pluginLoaderFilePath = cursor.takeField();
  cursor.skip(' on line ');
  const lineNumber = parseLineNumber(cursor.takeField());
  cursor.skip(' (');
  const httpMethod = cursor.takeField();
  cursor.skip(' ');
  // A target may contain parentheses: the last one ends the descriptor.
  const requestTarget = cursor.takeField().slice(0, -1);
  if (!cursor.isAtEnd || !line.endsWith(')') || requestTarget === '' || Number.isNaN(lineNumber)) return undefined;
  return loadFailureOf(
    {
      timestamp: line.slice(TIMESTAMP_AT, TIMESTAMP_END),
      utcOffset: line.slice(ZONE_AT, UTC_OFFSET_END),
      localSecond,
      second: localSecond - offset,
    },
    { runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber },
    httpMethod,
    requestTarget,
  );
}

/** Makes a load failure (2.1) from a stamp, fields that all groups share, and a descriptor. Checks nothing. */
export function loadFailureOf(
  { timestamp, utcOffset, localSecond, second }: Pick<LoadFailure, 'timestamp' | 'utcOffset' | 'localSecond' | 'second'>,
  { runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber }: Omit<LoadFailureFields, keyof Stamp>,
  httpMethod: string,
  requestTarget: string,
): LoadFailure {
  return {
    kind: 'load_failure',
    timestamp,
    utcOffset,
    runtimeTag,
    pluginFilePath,
    pluginLoaderFilePath,
    lineNumber,
    httpMethod,
    requestTarget,
    localSecond,
    second,
  };
}

function parseDeprecation(line: string, localSecond: number): Deprecation | undefined {
  const bracketAt = line.indexOf('] ', ZONE_AT);
  const timezoneName = line.slice(ZONE_AT, bracketAt);
  if (bracketAt <= ZONE_AT || timezoneName.includes(' ')) return undefined;
  const cursor = new Cursor(line, bracketAt);
  cursor.skip('] ');
  const runtimeTag = cursor.takeField();
  cursor.skip(AFTER_RUNTIME_TAG.deprecation);
  const dialect = cursor.isBefore(DIALECT_GAPS.php) ? 'php' : 'spec';
  cursor.skip(DIALECT_GAPS[dialect]);
  cursor.skip(HANDLER_NOTICE);
  cursor.skip(' in ');
  const sessionFilePath = cursor.takeField();
  cursor.skip(' on line ');
  const lineNumber = parseLineNumber(cursor.takeField());
  if (!cursor.isAtEnd || Number.isNaN(lineNumber)) return undefined;
  return {
    kind: 'deprecation',
    timestamp: line.slice(TIMESTAMP_AT, TIMESTAMP_END),
    timezoneName,
    runtimeTag,
    sessionFilePath,
    lineNumber,
    dialect,
    localSecond,
  };
}

/** Parses a line number that a deployment can have, or 0; NaN for any other text. */
function parseLineNumber(text: string): number {
  const lineNumber = LINE_NUMBER.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(lineNumber) ? lineNumber : NaN;
}

/** Reads a line from left to right. After a mismatch, `isAtEnd` stays false. */
class Cursor {
  readonly #line: string;
  #at: number;
  #hasMismatch = false;

  constructor(line: string, at: number) {
    this.#line = line;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return !this.#hasMismatch && this.#at === this.#line.length;
  }

  isBefore(text: string): boolean {
    return this.#line.startsWith(text, this.#at);
  }

  skip(text: string): void {
    if (!this.isBefore(text)) this.#hasMismatch = true;
    this.#at += text.length;
  }

  /** Takes the text up to the next space or the end of the line; an empty field is a mismatch. */
  takeField(): string {
    const space = this.#line.indexOf(' ', this.#at);
    const end = space === -1 ? this.#line.length : space;
    const field = this.#line.slice(this.#at, end);
    if (field === '') this.#hasMismatch = true;
    this.#at = end;
    return field;
  }
}
