import { requireFunction, requireOneOf, requireOptions, type OptionChecks } from '../arguments.js';
import { FOREIGN_ACTIONS, type ForeignAction, isUnusable, refuseForeign, refuseUnusable } from './foreign-lines.js';
import { logFilesOf, type LogBytes, type LogFiles } from './log-files.js';
import type { LoggedLine, LoggedRecord, LoggedRequest } from './logged.js';
import { readLoggedLines, readLoggedRecords, readLoggedRequests } from './read-logged.js';
import type { ReadLogOptions, PassedOver } from './read-log.js';

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

/** Each of these options with its check. */
export const FOREIGN_CHECKS: OptionChecks<keyof ForeignOptions> = {
  foreign: requireOneOf(FOREIGN_ACTIONS),
  onEnd: requireFunction,
};

/** Options of `parse`: those of the command `parse`. */
export interface ParseOptions extends ForeignOptions {
  /** The product: a request for each whole group (`requests`, the default), or every record with its line and group (`records`). */
  readonly as?: 'requests' | 'records';
}

/** The options of `parse`, each with its check. */
const PARSE_OPTIONS: OptionChecks<keyof ParseOptions> = {
  as: requireOneOf(['requests', 'records']),
  ...FOREIGN_CHECKS,
};

/**
 * Parses a log, as the command `parse` does: gives batches of requests, or of records, in the order of lines. The groups of concurrent
 * requests may be interleaved. A group that is missing a record gives no request, and is counted.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError for an unknown option, for a value of a wrong type, and for a log that is neither
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
  if (as === 'requests' && foreign === 'emit') {
    throw new TypeError("options.foreign is emit, which has no place among requests; give as: 'records' with it");
  }
  const files = logFilesOf(log);
  const reading = readingAsParse(files, options);
  if (as === 'requests') yield* readLoggedRequests(files, reading);
  else yield* foreign === 'emit' ? readLoggedLines(files, reading) : readLoggedRecords(files, reading);
}

/** The options of reading a log as `parse` does: an error at a foreign line where `foreign` is `stop`, and for a log without a record. */
export function readingAsParse(files: LogFiles, { foreign, onEnd }: ForeignOptions): ReadLogOptions {
  return {
    ...(foreign === 'stop' && stopAtForeign(files)),
    onEnd: (passedOver) => {
      onEnd?.(passedOver);
      if (foreign !== 'emit' && isUnusable(passedOver)) throw refuseUnusable(passedOver, files);
    },
  };
}

/** The option of reading a log that makes the first foreign line an error. */
export function stopAtForeign({ placeOf }: LogFiles): Required<Pick<ReadLogOptions, 'onForeign'>> {
  return {
    onForeign: (line, text) => {
      throw refuseForeign(placeOf(line), text);
    },
  };
}
