import { requireFunction, requireOneOf, requireOptions, type OptionChecks } from '../arguments.js';
import { InferredGroups } from './inferred-groups.js';
import { logFilesOf, type LogBytes, type LogFiles } from './log-files.js';
import { type LoggedForeignLine, type LoggedLine, LoggedLines, type LoggedRecord, stampForeignLines } from './logged-lines.js';
import type { LoggedRequest } from './whole-group.js';
import { readLog, type ReadLogOptions } from './log-reader.js';
import {
  FOREIGN_ACTIONS,
  isUnusable,
  refuseForeign,
  refuseRowless,
  refuseUnusable,
  type ForeignAction,
  type PassedOver,
} from './passed-over.js';
import { groupOf, type Group } from './record-group.js';

/**
 * Reads the requests of a log, one for each group whose load failures are all there, in the order of the groups' first records. Each block
 * gives a batch.
 * @throws TypeError if the log is neither bytes nor files
 * @throws what `onForeign` throws, after the requests before that line
 */
export async function* readLoggedRequests(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRequest[]> {
  for await (const reader of readLog(log, new InferredGroups(), options)) {
    const requests: LoggedRequest[] = [];
    for (const event of reader) {
      if (event.kind === 'whole') requests.push(event.group);
      if (event.kind !== 'group' || !event.group.isComplete || event.group.firstFailure === undefined) continue;
      const { second, httpMethod: method, requestTarget: target, timestamp, utcOffset } = event.group.firstFailure;
      requests.push({ line: event.group.firstLine, millisecond: second * 1000, method, target, timestamp, utcOffset });
    }
    yield requests;
  }
}

/**
 * Reads the records of a log, in the order of its lines. Each block gives a batch. Records are held back until their group is found to
 * be whole or incomplete.
 * @throws TypeError if the log is neither bytes nor files
 * @throws what `onForeign` throws, after the records before that line
 */
export function readLoggedRecords(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRecord[]> {
  return readLines(log, new LoggedLines(), options);
}

/** Reads all lines of a log as `readLoggedRecords` reads its records: foreign lines are among them, in the order of lines. */
export function readLoggedLines(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedLine[]> {
  return readLines(log, new LoggedLines(stampForeignLines()), options);
}

export async function* readLines<F extends LoggedForeignLine, G>(
  log: LogBytes,
  lines: LoggedLines<F, G>,
  options: ReadLogOptions,
): AsyncGenerator<readonly (LoggedRecord | F | G)[]> {
  for await (const reader of readLog(log, new InferredGroups(), options)) yield lines.take(reader);
}

/**
 * Reads a log up to its first whole group: the one whose first record stands first. Undefined for a log without one.
 * @throws TypeError if the log is neither bytes nor files
 * @throws what `onForeign` throws
 */
export async function findFirstGroup(log: LogBytes, options: ReadLogOptions = {}): Promise<Group | undefined> {
  for await (const reader of readLog(log, new InferredGroups(), options)) {
    for (const event of reader) {
      // The first group always is put together from records.
      if (event.kind === 'group' && event.group.isWhole) return groupOf(event.group);
    }
  }
  return undefined;
}

/** Options for what gives nothing: foreign lines and incomplete groups. */
export interface ForeignOptions {
  /**
   * Lines that are not records of this log: passed over and counted (`skip`, the default), an error at the first one (`stop`), or given
   * among the records (`emit`, where records are given).
   */
  readonly foreign?: ForeignAction;
  /** Called once, at the end of the log, with the lines and the groups that gave nothing. */
  readonly onEnd?: (passedOver: PassedOver) => void;
}

export const FOREIGN_CHECKS: OptionChecks<keyof ForeignOptions> = {
  foreign: requireOneOf(FOREIGN_ACTIONS),
  onEnd: requireFunction,
};

/** Options of `parse`: those of the command `parse`. */
export interface ParseOptions extends ForeignOptions {
  /** The product: a request for each whole group (`requests`, the default), or every record with its line and group (`records`). */
  readonly as?: 'requests' | 'records';
}

const PARSE_OPTIONS: OptionChecks<keyof ParseOptions> = { as: requireOneOf(['requests', 'records']), ...FOREIGN_CHECKS };

/**
 * Parses a log, as the command `parse` does: gives batches of requests, or of records, in the order of lines. The groups of concurrent
 * requests may be interleaved. A group that is missing a load failure gives no request, and is counted.
 * @throws TypeError for an unknown option, for a value of a wrong type, and for a log that is neither bytes nor files
 * @throws DataError at a foreign line, where `foreign` is `stop`; and at the end of a log that holds lines, none of which is a record,
 *   unless foreign lines are given. Both after what came before.
 */
export function parse(
  log: LogBytes,
  options?: ParseOptions & { readonly as?: 'requests' },
): AsyncGenerator<readonly LoggedRequest[]>;
export function parse(
  log: LogBytes,
  options: ParseOptions & { readonly as: 'records'; readonly foreign: 'emit' },
): AsyncGenerator<readonly LoggedLine[]>;
export function parse(
  log: LogBytes,
  options: ParseOptions & { readonly as: 'records'; readonly foreign?: 'skip' | 'stop' },
): AsyncGenerator<readonly LoggedRecord[]>;
export async function* parse(
  log: LogBytes,
  options: ParseOptions = {},
): AsyncGenerator<readonly LoggedRequest[] | readonly LoggedLine[]> {
  requireOptions(options, 'options', PARSE_OPTIONS);
  const { as = 'requests', foreign } = options;
  if (as === 'requests' && foreign === 'emit')
    throw new TypeError("options.foreign is emit, which has no place among requests; give as: 'records' with it");
  const files = logFilesOf(log);
  const read = as === 'requests' ? readLoggedRequests : foreign === 'emit' ? readLoggedLines : readLoggedRecords;
  yield* read(files, readingAsParse(files, options, as === 'requests'));
}

/** The options of reading a log as `parse` does. @param needsRequests true for an error for a log without a request, too */
export function readingAsParse(files: LogFiles, { foreign, onEnd }: ForeignOptions, needsRequests = false): ReadLogOptions {
  return {
    ...(foreign === 'stop' && stopAtForeign(files)),
    onEnd: (passedOver) => {
      onEnd?.(passedOver);
      if (foreign !== 'emit' && isUnusable(passedOver)) throw refuseUnusable(passedOver, files);
      const rowless = needsRequests ? refuseRowless(passedOver, files) : undefined;
      if (rowless !== undefined) throw rowless;
    },
  };
}

export function stopAtForeign({ placeOf }: LogFiles): Required<Pick<ReadLogOptions, 'onForeign'>> {
  return {
    onForeign: (line, text) => {
      throw refuseForeign(placeOf(line), text);
    },
  };
}
