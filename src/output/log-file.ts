import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync, type Stats } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import { LF } from '../log/byte-string.js';

/** Half a record at the end of a file counts as torn when the file has not grown for this long: another appender may be writing it. */
const SETTLE_MS = 200;

const NO_READER_DELAY_MS = 50;
const WRITE_AT_END = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** A file that a run uses, to read it or to write something else: the output must be another. */
export interface UsedFile {
  readonly stats: Stats;
  /** The use that the run makes of the file, as messages name it (`the input file`). */
  readonly role: 'input' | 'deployment' | 'targets' | 'tee' | 'foreign record' | 'fault report' | 'report' | 'log';
}

/**
 * Opens a file for appending, and creates it if it does not exist. Waits until a FIFO has a reader, or the signal is aborted.
 *
 * @throws CallError if the file cannot be opened, or is one of those that the run uses
 */
export async function openLogFile(path: string, usedFiles: readonly UsedFile[], signal: AbortSignal): Promise<number> {
  try {
    const isFifo = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
    const fd = isFifo ? await openFifo(path, signal) : openForAppending(path);
    refuseUsed(fstatSync(fd), usedFiles, path);
    return fd;
  } catch (error) {
    throw explainOpenError(error, path);
  }
}

/** Turns the error of opening a file to be written, which is made where it is missing, into a `CallError`; returns any other unchanged. */
export function explainOpenError<E>(error: E, path: string): E | CallError {
  if (systemErrorCode(error) !== 'ENOENT') return explainSystemError(error, path);
  return new CallError({ source: path }, 'its folder does not exist', 'make the folder, or check the path', { cause: error });
}

/** `openLogFile` for a regular file, once the open one may have been renamed or removed. @throws CallError also for any other file */
export function reopenLogFile(path: string, usedFiles: readonly UsedFile[]): number {
  let fd: number | undefined;
  try {
    fd = openForAppending(path);
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new CallError({ source: path }, 'is no longer a regular file', 'check the path');
    refuseUsed(stats, usedFiles, path);
    return fd;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw explainSystemError(error, path);
  }
}

/** Refuses to write to a file that the run uses otherwise. @throws CallError */
export function refuseUsed(output: Stats, usedFiles: readonly UsedFile[], name: string): void {
  if (!output.isFile()) return;
  const same = usedFiles.find(({ stats }) => stats.dev === output.dev && stats.ino === output.ino);
  if (same === undefined) return;
  throw new CallError({ source: name }, `the output is the ${same.role} file`, 'name another file');
}

/** Opens a file to append to and, if permitted, to read: its end is checked. */
function openForAppending(path: string): number {
  try {
    return openSync(path, 'a+');
  } catch (error) {
    // With O_NONBLOCK, a path that has become a FIFO without a reader is an error and does not block.
    if (systemErrorCode(error) === 'EACCES') return openSync(path, WRITE_AT_END | constants.O_NONBLOCK);
    throw error;
  }
}

/** Polls until a FIFO has a reader. Without O_NONBLOCK, opening would block, and no signal handler would run. */
async function openFifo(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENXIO') throw error;
    }
    await setTimeout(NO_READER_DELAY_MS);
    signal.throwIfAborted();
  }
}

/**
 * Ends half a record at the end of a file with an LF, so that the next record begins on a line of its own, unless the file grows meanwhile.
 *
 * @returns true if there was half a record
 */
export async function endHalfRecord(fd: number): Promise<boolean> {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  if (size === 0 || readAt(fd, last, size - 1) === 0 || last[0] === LF) return false;
  await setTimeout(SETTLE_MS);
  // While another appender writes without a pause, the file seems to end in half a record whenever it is read.
  if (fstatSync(fd).size !== size) return false;
  writeSync(fd, '\n');
  return true;
}

/** Fills a buffer from an offset of a file on. @returns the number of bytes; 0 for a file that may only be written */
export function readAt(fd: number, buffer: Buffer, offset: number): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, offset);
  } catch (error) {
    if (systemErrorCode(error) === 'EBADF') return 0;
    throw error;
  }
}

/** Closes a file. On some file systems (NFS) only closing reports a write that failed. @throws CallError */
export function closeLogFile(fd: number, path: string): void {
  try {
    closeSync(fd);
  } catch (error) {
    throw explainSystemError(error, path);
  }
}
