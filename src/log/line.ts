import { createParser, PARTS, type FieldsOf, type RecordKind } from './fields.js';
import { joinDeprecation, joinLoadFailure, TIMESTAMP_AT, TIMESTAMP_END, ZONE_AT, type LoadFailureConstants } from './record.js';
import { parseTimestamp, parseUtcOffset } from './timestamp.js';
import { namesOf } from '../wording.js';

/** A load-failure record read from a log (2.1). Its texts are byte strings without spaces; `sessionId` is absent where there is none. */
export interface LoadFailure extends FieldsOf<'load_failure'> {
  readonly kind: 'load_failure';
  /** The timestamp as if it were UTC: seconds since 1970-01-01T00:00:00. */
  readonly localSecond: number;
  /** The Unix second that timestamp and UTC offset show. */
  readonly second: number;
}

/** A deprecation record read from a log (2.2). Its texts are byte strings without spaces. */
export interface Deprecation extends FieldsOf<'deprecation'> {
  readonly kind: 'deprecation';
  /** The timestamp as if it were UTC, in seconds. Without a UTC offset, a time in the repeated hour of autumn means two instants. */
  readonly localSecond: number;
}

/** A record of either kind. */
export type LogRecord = LoadFailure | Deprecation;

export const RECORD_KINDS: readonly RecordKind[] = namesOf(PARTS);

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
  if (!line.startsWith('[') || line[TIMESTAMP_END] !== ' ') return undefined;
  const localSecond = parseTimestamp(line, TIMESTAMP_AT);
  if (Number.isNaN(localSecond)) return undefined;
  const offset = parseUtcOffset(line, ZONE_AT);
  if (Number.isNaN(offset)) {
    const fields = parseDeprecationFields(line);
    return fields && { kind: 'deprecation', localSecond, ...fields };
  }
  const fields = parseFailureFields(line);
  if (fields === undefined) return undefined;
  const { timestamp, utcOffset, httpMethod, requestTarget, sessionId } = fields;
  const stamp = { timestamp, utcOffset, localSecond, second: localSecond - offset };
  return loadFailureOf(stamp, fields, httpMethod, requestTarget, sessionId);
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
