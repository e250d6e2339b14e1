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

/** An output that is open: standard output, a file, a FIFO or a device. */
export interface Destination {
  readonly output: Output;
  /** True for a file that was not empty when it was opened: a list that is appended to has its header. */
  readonly isContinued: boolean;
  /** The Unix second of the last load-failure record in a regular file given with `-o`; undefined if there is none. */
  readonly findLastSecond: () => Promise<number | undefined>;
  /**
   * Opens the file's name anew and continues there, once the current write is done. If the file cannot be opened, the run
   * continues in the one that is open. Does nothing for standard output, a FIFO and a device.
   */
  readonly reopen: () => void;
  /**
   * Closes the destination once everything has been written.
   *
   * @throws CallError if the file was removed, or a write failed late
   */
  readonly close: () => void;
  /** Takes the place of `close` when the run has failed: warns if the file was removed, throws nothing. */
  readonly leave: () => void;
}

const STDOUT_FD = 1;

/** A file that is being written is checked for its removal at this interval. */
const REMOVAL_CHECK_MS = 2000;

/**
 * Makes standard output the destination.
 *
 * @param stdout `process.stdout`, written to only if standard output is a pipe or a socket
 * @param readFiles the files that the run reads: none of them may be standard output
 * @param noun the noun of what is written and counted, in the singular: `group`, `row`
 * @throws CallError if standard output is one of the files that are read
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
 * Opens a file for appending, creates it if it does not exist; or opens a FIFO or a device. Before the first write, half a record
 * at the end of the file is ended with an LF.
 *
 * @param readFiles the files that the run reads: none of them may be this one
 * @param noun the noun of what is written and counted, in the singular: `group`, `row`
 * @param signal ends the waiting for a FIFO's reader, and the search for the last load failure
 * @param warn takes a line about half a record that was ended, a file that cannot be reopened, or one that was removed
 * @throws CallError if the file cannot be opened, or is one of those that are read
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
    // The callback of `write` reports the error; without a listener it would end the process.
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
  // `-o /dev/fd/3` may be a file without a name: whoever holds it open reads it.
  const hasName = stats.nlink > 0;
  const output = new FileOutput(fd, path, noun, async (current) => {
    if (await endHalfRecord(current)) warn(`${escapeText(path)}: it ended in half a record; a line feed now ends it`);
  });
  let closingError: CallError | undefined;
  let hasWarned = false;
  const warnIfRemoved = (): void => {
    if (hasWarned || !isRegular || !hasName || !isRemoved(output.fd)) return;
    hasWarned = true;
    warn(`${escapeText(path)}: it was removed while it was written; what is in it is lost, SIGHUP makes it anew`);
  };
  const timer = setInterval(warnIfRemoved, REMOVAL_CHECK_MS).unref();
  const reopenFrom = (before: number): number => {
    warnIfRemoved();
    const after = tryToReopen(path, readFiles, warn);
    if (after === undefined) return before;
    try {
      closeLogFile(before, path);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // The last writes to the file may be lost: the run goes on, and fails at its end.
      closingError ??= error;
    }
    hasWarned = false;
    return after;
  };
  return {
    output,
    isContinued: isContinued(fd),
    findLastSecond: () => output.use((current) => findLastLoadFailure(current, signal)),
    reopen: () => {
      if (isRegular) output.replace(reopenFrom);
    },
    close: () => {
      clearInterval(timer);
      if (isRegular && hasName) refuseRemoved(output.fd, path);
      closeLogFile(output.fd, path);
      if (closingError !== undefined) throw closingError;
    },
    leave: () => {
      clearInterval(timer);
      warnIfRemoved();
    },
  };
}

/** Opens the file that has the name now; warns and gives undefined if that fails. */
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
