import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync, type Stats } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import { LF } from '../log/byte-string.js';

/** Half a record at the end of a file is torn if the file has not grown for this time. */
const UNCHANGED_MS = 200;
const NO_READER_DELAY_MS = 50;

export interface UsedFile {
  readonly stats: Stats | undefined;
  readonly role: 'input' | 'deployment' | 'targets' | 'tee' | 'foreign record' | 'fault report' | 'report' | 'log';
}

/** Opens a file for appending, or creates it; a FIFO once it has a reader. @throws CallError, also for a used file; the reason of the signal */
export async function openLogFile(path: string, usedFiles: readonly UsedFile[], signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      const fd = openForAppending(path);
      refuseUsed(fstatSync(fd), usedFiles, path);
      return fd;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENXIO' || !isFifo(path)) throw explainOpenError(error, path);
    }
    await setTimeout(NO_READER_DELAY_MS);
    signal.throwIfAborted();
  }
}

export function explainOpenError<E>(error: E, path: string): E | CallError {
  if (systemErrorCode(error) !== 'ENOENT') return explainSystemError(error, path);
  return new CallError({ source: path }, 'its folder does not exist', 'make the folder, or check the path', { cause: error });
}

/** Opens a regular file again. @throws CallError if it is none, or a used one; the error of the system */
export function reopenLogFile(path: string, usedFiles: readonly UsedFile[]): number {
  const fd = openForAppending(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new CallError({ source: path }, 'is no longer a regular file', 'check the path');
    refuseUsed(stats, usedFiles, path);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function isSameFile(fd: number, path: string): boolean {
  const open = fstatSync(fd);
  const named = statSync(path, { throwIfNoEntry: false });
  return named?.ino === open.ino && named.dev === open.dev;
}

export function findUsed(output: Stats, usedFiles: readonly UsedFile[]): UsedFile | undefined {
  return output.isFile() ? usedFiles.find(({ stats }) => stats?.dev === output.dev && stats.ino === output.ino) : undefined;
}

export function refuseUsed(output: Stats, usedFiles: readonly UsedFile[], name: string): void {
  const used = findUsed(output, usedFiles);
  if (used !== undefined) throw usedFileError(name, used.role);
}

export function usedFileError(source: string, role: UsedFile['role']): CallError {
  return new CallError({ source }, `the output is the ${role} file`, 'name another file');
}

/** Opens a file for appending and, if permitted, for reading, to check its end. */
function openForAppending(path: string): number {
  try {
    // Without O_NONBLOCK, opening a FIFO would block until there is a reader, and no signal handler would run.
    return openSync(path, isFifo(path) ? constants.O_WRONLY | constants.O_NONBLOCK : 'a+');
  } catch (error) {
    if (systemErrorCode(error) !== 'EACCES') throw error;
    return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK);
  }
}

function isFifo(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** Ends half a record at the end of a file with an LF, unless the file is growing. @returns true if there was half a record */
export async function endHalfRecord(fd: number): Promise<boolean> {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  if (size === 0 || readAt(fd, last, size - 1) === 0 || last[0] === LF) return false;
  await setTimeout(UNCHANGED_MS);
  if (fstatSync(fd).size !== size) return false;
  writeSync(fd, '\n');
  return true;
}

/** Fills a buffer from an offset in a file. @returns the number of bytes; 0 for a write-only file */
export function readAt(fd: number, buffer: Buffer, offset: number): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, offset);
  } catch (error) {
    if (systemErrorCode(error) === 'EBADF') return 0;
    throw error;
  }
}
