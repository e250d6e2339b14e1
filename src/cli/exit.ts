import type { CommanderError } from 'commander';
import { CallError, DataError, formatPlace, ReaderGoneError, StoppedError } from '../errors.js';
import { countOf, cutText, escapeText } from '../wording.js';
import { nameFlag, say } from './messages.js';
import { endBySignal, Interrupted } from './signals.js';

const DATA_AT_FAULT = 1;
const CALL_AT_FAULT = 2;

/** The most characters of a problem: commander quotes texts of any length. */
const MAX_PROBLEM_LENGTH = 200;

/**
 * Reports an error and sets the exit code, or ends the process by the signal that caused the error. No other place maps errors to exit
 * codes. Throws an error of no known class, with its stack: a fault of this program.
 * @param help the call that shows the help: `webmail-diaglog replay --help`
 */
export function endWith(error: unknown, help: string): void {
  const [cause, suffix] = error instanceof StoppedError ? [error.cause, describeStop(error)] : [error, ''];
  if (cause instanceof ReaderGoneError) return;
  if (isOfCommander(cause)) endAsCommander(cause, help);
  else if (cause instanceof Interrupted) {
    say(`${cause.message}${suffix}`);
    if (!cause.isNormalEnd) endBySignal(cause.signal);
  } else {
    process.exitCode = cause instanceof DataError ? DATA_AT_FAULT : CALL_AT_FAULT;
    if (!(cause instanceof DataError || cause instanceof CallError)) throw cause;
    say(`${cause.messageWith(nameFlag)}${suffix}`);
  }
}

export function endWithFindings(): void {
  process.exitCode = DATA_AT_FAULT;
}

/** Says how far a run came that was stopped: ` (3 groups written, stopped at line 4)`. */
function describeStop({ cause, written, noun, lastLine, lastSource }: StoppedError): string {
  const stands = `${countOf(written, noun)} written`;
  if (cause instanceof DataError && cause.place.line !== undefined)
    return ` (${stands}, stopped at line ${String(cause.place.line)})`;
  const file = lastSource === undefined ? '' : ` of ${formatPlace({ source: lastSource })}`;
  return lastLine === undefined ? ` (${stands})` : ` (${stands}, stopped after line ${String(lastLine)}${file})`;
}

/** Does not import the class: commander is loaded only where a command line is read. */
function isOfCommander(error: unknown): error is CommanderError {
  return error instanceof Error && error.name === 'CommanderError';
}

/** Reports an error of commander; its exit code 0 is for `--help` and `--version`. A bare call has been answered with the help. */
function endAsCommander({ code, exitCode, message }: CommanderError, help: string): void {
  if (exitCode === 0) return;
  process.exitCode = CALL_AT_FAULT;
  if (code === 'commander.help') return;
  const [problem = '', ...hints] = message.replace(/^error: |\.$/g, '').split('\n');
  say(`${[cutText(problem, MAX_PROBLEM_LENGTH), ...hints.map(escapeText)].join(' ')}; see ${help}`);
}
