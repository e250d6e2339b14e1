import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { fstatSync } from 'node:fs';
import { isPipe } from '../input/is-pipe.js';
import { CallError } from '../errors.js';
import { escapeText } from '../wording.js';
import {
  closeLogFile,
  endHalfRecord,
  findLastLoadFailure,
  isRemoved,
  openLogFile,
  refuseReadFiles,
  refuseRemoved,
  reopenLogFile,
  type ReadFile,
} from './log-file.js';
import { FileOutput, StreamOutput, type Output } from './output.js';

/** A log that is open for writing. */
export interface Destination {
  readonly output: Output;
  /** Whether it is a file that held something already: a list that is appended to has its header. */
  readonly isContinued: boolean;
  /** Looks for the last load-failure record that it has: its Unix second, or undefined if there is none. */
  readonly findLastSecond: () => Promise<number | undefined>;
  /**
   * Goes on in the file that now has the log's name, once the write at hand is done; if that cannot be opened, in the one before.
   * Standard output, a FIFO and a device stay what they are.
   */
  readonly reopen: () => void;
  /** To be called when all has been written. @throws CallError */
  readonly close: () => void;
  /** To be called, instead, when the run has ended before. */
  readonly leave: () => void;
}

const STDOUT_FD = 1;

/** How often a file that is being written is looked at: whether it still has a name. */
const LOOK_INTERVAL_MS = 2000;

/**
 * Takes standard output for the log.
 *
 * @param stdout `process.stdout`, used where it has a reader that may stall
 * @param readFiles the files that the run reads: none of them may be the log
 * @param noun what is written and counted, in the singular: `group`, `row`
 * @throws CallError if it is one of the files that are read
 */
export function openStdout(stdout: Writable, readFiles: readonly ReadFile[], noun: string): Destination {
  refuseReadFiles(STDOUT_FD, readFiles, '<stdout>');
  const output = isPipe(STDOUT_FD) ? new StreamOutput(stdout, '<stdout>', noun) : new FileOutput(STDOUT_FD, '<stdout>', noun);
  return {
    output,
    isContinued: isContinued(STDOUT_FD),
    findLastSecond: () => Promise.resolve(undefined),
    reopen: () => undefined,
    close: () => undefined,
    leave: () => undefined,
  };
}

/**
 * Opens a log file for appending, and makes it if there is none; or opens a FIFO or a device. Before the first write, half a
 * record at its end is ended with an LF.
 *
 * @param readFiles the files that the run reads: none of them may be the log
 * @param noun what is written and counted, in the singular: `group`, `row`
 * @param signal ends waiting and looking
 * @param warn called with a line about half a record that there was, a file that cannot be opened anew, and one that was removed
 * @throws CallError if it cannot be opened or is one of the files that are read
 */
export async function openDestination(
  path: string,
  readFiles: readonly ReadFile[],
  noun: string,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<Destination> {
  const fd = await openLogFile(path, readFiles, signal);
  if (isPipe(fd)) {
    const stream = new Socket({ fd, readable: false, writable: true });
    // The writer of the log hears of it.
    stream.on('error', () => undefined);
    return {
      output: new StreamOutput(stream, path, noun),
      isContinued: false,
      findLastSecond: () => Promise.resolve(undefined),
      reopen: () => undefined,
      close: () => stream.end(),
      leave: () => undefined,
    };
  }
  const stats = fstatSync(fd);
  const isRegular = stats.isFile();
  // A file that has no name to begin with (`-o /dev/fd/3`) is read by whoever holds it open.
  const hasName = stats.nlink > 0;
  const output = new FileOutput(fd, path, noun, async (current) => {
    if (await endHalfRecord(current)) warn(`${escapeText(path)}: it ended in half a record; a line feed now ends it`);
  });
  let closingError: CallError | undefined;
  let isSaid = false;
  const sayIfRemoved = (): void => {
    if (isSaid || !isRegular || !hasName || !isRemoved(output.fd)) return;
    isSaid = true;
    warn(`${escapeText(path)}: it was removed while it was written; what is in it is lost, SIGHUP makes it anew`);
  };
  const timer = setInterval(sayIfRemoved, LOOK_INTERVAL_MS).unref();
  const goOnFrom = (before: number): number => {
    sayIfRemoved();
    const after = tryToReopen(path, readFiles, warn);
    if (after === undefined) return before;
    try {
      closeLogFile(before, path);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // What was written there may not stand: the run goes on, and fails at its end.
      closingError ??= error;
    }
    isSaid = false;
    return after;
  };
  return {
    output,
    isContinued: isContinued(fd),
    findLastSecond: () => output.use((current) => findLastLoadFailure(current, signal)),
    reopen: () => {
      if (isRegular) output.replace(goOnFrom);
    },
    close: () => {
      clearInterval(timer);
      if (isRegular && hasName) refuseRemoved(output.fd, path);
      closeLogFile(output.fd, path);
      if (closingError !== undefined) throw closingError;
    },
    leave: () => {
      clearInterval(timer);
      sayIfRemoved();
    },
  };
}

/** Opens the file that now has a name; if that cannot be, says so. */
function tryToReopen(path: string, readFiles: readonly ReadFile[], warn: (message: string) => void): number | undefined {
  try {
    return reopenLogFile(path, readFiles);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    warn(`${error.message} (on SIGHUP; the run goes on in the file that it has open)`);
    return undefined;
  }
}

function isContinued(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFile() && stats.size > 0;
}
