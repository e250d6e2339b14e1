import { createParser, type FieldsOf } from './fields.js';
import { joinDeprecation, joinLoadFailure, TIMESTAMP_AT, UTC_OFFSET_END, ZONE_AT, type LoadFailureConstants } from './record.js';
import { parseTimestamp, parseUtcOffset } from './timestamp.js';

/** A load-failure record (2.1). Its texts are byte strings without spaces; `sessionId` is absent where there is none. */
export interface LoadFailure extends FieldsOf<'load_failure'> {
  readonly kind: 'load_failure';
  /** The timestamp as if it were UTC: seconds since 1970-01-01T00:00:00. */
  readonly localSecond: number;
  /** The Unix second that timestamp and UTC offset show. */
  readonly second: number;
}

/** A deprecation record (2.2). Its texts are byte strings without spaces. */
export interface Deprecation extends FieldsOf<'deprecation'> {
  readonly kind: 'deprecation';
  /** The timestamp as if it were UTC, in seconds. Without a UTC offset, a time in the repeated hour of autumn means two instants. */
  readonly localSecond: number;
}

/** A record of either kind. */
export type LogRecord = LoadFailure | Deprecation;

const parseFailureFields = createParser('load_failure');
const parseDeprecationFields = createParser('deprecation');

/**
 * Parses a line in the shape of 2.1 or 2.2, in either dialect, with any paths, names, numbers, method and target. The inverse of
 * `formatLoadFailure` and `formatDeprecation`. Takes linear time for any line.
 * @param line a byte string without the LF at its end
 * @returns undefined for a line of any other shape, and for a timestamp that does not exist
 * @throws TypeError for a line that is not a string
 */
export function parseRecord(line: string): LogRecord | undefined {
  if (typeof line !== 'string') throw new TypeError('line is not a string; give a line of a log');
  const localSecond = parseTimestamp(line, TIMESTAMP_AT);
  if (Number.isNaN(localSecond)) return undefined;
  const second = localSecond - parseUtcOffset(line, ZONE_AT);
  if (Number.isNaN(second)) {
    const fields = parseDeprecationFields(line);
    return fields && { kind: 'deprecation', localSecond, ...fields };
  }
  const fields = parseFailureFields(line);
  return fields && { kind: 'load_failure', ...fields, localSecond, second };
}

export function formatRecord(record: LogRecord): string {
  return record.kind === 'load_failure' ? joinLoadFailure(record) : joinDeprecation(record);
}

/** True for a line that would be a record without the CR at its end: in a log converted to CR LF, every line is foreign (1.3). */
export function isRecordWithCr(line: string): boolean {
  return line.endsWith('\r') && parseRecord(line.slice(0, -1)) !== undefined;
}

export function descriptorOf({ httpMethod, requestTarget }: LoadFailure): string {
  return `${httpMethod} ${requestTarget}`;
}

export function haveSameDescriptor(failure: LoadFailure, other: LoadFailure): boolean {
  return failure.requestTarget === other.requestTarget && failure.httpMethod === other.httpMethod;
}

export function loadFailureOf(
  { timestamp, utcOffset, localSecond, second }: Pick<LoadFailure, 'timestamp' | 'utcOffset' | 'localSecond' | 'second'>,
  { runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber }: LoadFailureConstants,
  httpMethod: string,
  requestTarget: string,
  sessionId?: string,
): LoadFailure {
  // A spread takes V8 several times as long, and most logs have no session ids.
  const failure: LoadFailure = {
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
  return sessionId === undefined ? failure : { sessionId, ...failure };
}

const LESS_THAN = 0x3c;
const SESSION_ID = /<([0-9A-Za-z,-]{1,256})> /y;

export const TAG_AT = UTC_OFFSET_END + ']: '.length;

export function sessionIdIn(line: string): string | undefined {
  SESSION_ID.lastIndex = TAG_AT;
  return SESSION_ID.exec(line)?.[1];
}

const DESCRIPTOR = /([\x21-\x7e\x80-\xff]+) ([\x21-\x7e\x80-\xff]+)\)$/y;

/** The longest line whose constants are cached: their text is a slice, which keeps the line in memory. */
const MAX_LINE_BYTES = 4096;
const MAX_CACHED = 16;

/** Reads lines as `parseRecord` does. Most share their stamp with the record before, and all but stamp, session id and descriptor with one. */
export class RecordReader {
  /** With the text between the stamp, or the session id behind it, and the descriptor. */
  readonly #constants: (LoadFailureConstants & { readonly text: string })[] = [];
  #latest: LoadFailure | undefined;
  #stamp = '';
  /** Deprecation records of one second are equal. */
  #deprecation: Deprecation | undefined;
  #deprecationLine = '';

  read(line: string): LogRecord | undefined {
    if (this.#deprecation !== undefined && line === this.#deprecationLine) return this.#deprecation;
    const sessionId = line.charCodeAt(TAG_AT) === LESS_THAN ? sessionIdIn(line) : undefined;
    const textAt = sessionId === undefined ? TAG_AT : TAG_AT + `<${sessionId}> `.length;
    if (this.#latest !== undefined && line.startsWith(this.#stamp)) {
      const constants = this.#constants.find(({ text }) => {
        const end = textAt + text.length;
        return line[end - 1] === '(' && line.slice(textAt, end) === text;
      });
      DESCRIPTOR.lastIndex = textAt + (constants?.text.length ?? 0);
      const [, method, target] = (constants && DESCRIPTOR.exec(line)) ?? [];
      if (constants !== undefined && method !== undefined && target !== undefined)
        return loadFailureOf(this.#latest, constants, method, target, sessionId);
    }
    const record = parseRecord(line);
    if (record?.kind === 'deprecation') {
      this.#deprecation = record;
      this.#deprecationLine = line;
    } else if (record?.kind === 'load_failure') {
      this.#latest = record;
      this.#stamp = line.slice(0, TAG_AT);
      const text = line.slice(textAt, -`${descriptorOf(record)})`.length);
      const isCached = this.#constants.length === MAX_CACHED || this.#constants.some((cached) => cached.text === text);
      if (!isCached && line.length <= MAX_LINE_BYTES && record.sessionId === sessionId) this.#constants.push({ ...record, text });
    }
    return record;
  }
}
