import { CommanderError } from 'commander';
import { CallError, DataError, ReaderGoneError, StoppedError } from '../errors.js';
import { countOf, escapeText } from '../wording.js';
import { say } from './messages.js';
import { endBySignal, Interrupted } from './signals.js';

const DATA_AT_FAULT = 1;
const CALL_AT_FAULT = 2;

const MAX_PROBLEM_LENGTH = 200;

/**
 * Ends the process as an error asks for: the one map from errors to messages and exit codes.
 *
 * @param help the call that shows how to call what was called
 */
export function endWith(error: unknown, help: string): void {
  const { cause, suffix } = unwrap(error);
  if (cause instanceof ReaderGoneError) return;
  if (cause instanceof Interrupted) {
    say(`${cause.message}${suffix}`);
    endBySignal(cause.signal);
  } else if (cause instanceof DataError) {
    say(`${cause.message}${suffix}`);
    process.exitCode = DATA_AT_FAULT;
  } else if (cause instanceof CallError) {
    say(`${cause.message}${suffix}`);
    process.exitCode = CALL_AT_FAULT;
  } else if (cause instanceof CommanderError) {
    endAsCommander(cause, help);
  } else {
    // Nothing that this program foresaw: the stack is what a report of it needs.
    process.exitCode = CALL_AT_FAULT;
    throw cause;
  }
}

/** The run came to its end, and found the data wanting. */
export function endWithFindings(): void {
  process.exitCode = DATA_AT_FAULT;
}

/** What stopped a run, and how far it came. */
function unwrap(error: unknown): { readonly cause: unknown; readonly suffix: string } {
  if (!(error instanceof StoppedError)) return { cause: error, suffix: '' };
  const { cause, lastLine } = error;
  const written = `${countOf(error.written, error.noun)} written`;
  if (cause instanceof DataError && cause.place.line !== undefined) {
    return { cause, suffix: ` (${written}, stopped at line ${String(cause.place.line)})` };
  }
  const where = lastLine === undefined ? '' : `, stopped after line ${String(lastLine)}`;
  return { cause, suffix: ` (${written}${where})` };
}

/** commander ends with 0 for `--help` and `--version`, else the call is at fault; a bare call it answers with the help. */
function endAsCommander({ code, exitCode, message }: CommanderError, help: string): void {
  if (exitCode === 0) return;
  process.exitCode = CALL_AT_FAULT;
  if (code === 'commander.help') return;
  const [problem = '', ...hints] = message.replace(/^error: |\.$/g, '').split('\n');
  const hint = hints.map((line) => ` ${line}`).join('');
  say(`${escapeText(cut(problem))}${escapeText(hint)}; see ${help}`);
}

/** What commander quotes may be of any length. */
function cut(text: string): string {
  return text.length <= MAX_PROBLEM_LENGTH ? text : `${text.slice(0, MAX_PROBLEM_LENGTH)}…`;
}
