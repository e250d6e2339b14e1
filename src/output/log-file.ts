import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync, type Stats } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import { LF } from '../log/byte-string.js';
import { parseRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';

const READ_BYTES = 1 << 16;

/** How long a file must stay as it is before half a record at its end counts as torn: another appender may be writing it. */
const SETTLE_MS = 200;

const NO_READER_DELAY_MS = 50;
const WRITE_AT_END = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** A file that a run reads: the output must be another. */
export interface ReadFile {
  readonly stats: Stats;
  /** What the run reads the file for, as messages call it (`the input file`). */
  readonly role: 'input' | 'deployment' | 'targets';
}

/**
 * Opens a log for appending, and makes it if there is none. A FIFO is waited for until it has a reader.
 *
 * @param readFiles the files that the run reads: none of them may be this one
 * @throws CallError
 */
export async function openLogFile(path: string, readFiles: readonly ReadFile[], signal: AbortSignal): Promise<number> {
  try {
    const fd = isFifo(path) ? await openFifo(path, signal) : openForAppending(path);
    refuseReadFiles(fd, readFiles, path);
    return fd;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      throw new CallError({ source: path }, 'its folder does not exist', 'make the folder, or check the path', { cause: error });
    }
    throw explainSystemError(error, path);
  }
}

/**
 * Opens the log that now has a name, and makes it if there is none: another file, if the one before has been renamed or removed.
 *
 * @param readFiles the files that the run reads: none of them may be this one
 * @throws CallError, also if it is no regular file
 */
export function reopenLogFile(path: string, readFiles: readonly ReadFile[]): number {
  let fd: number | undefined;
  try {
    fd = openForAppending(path);
    if (!fstatSync(fd).isFile()) throw new CallError({ source: path }, 'is no regular file any more', 'check the path');
    refuseReadFiles(fd, readFiles, path);
    return fd;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw explainSystemError(error, path);
  }
}

/** Refuses to append to a file that the run reads. @throws CallError */
export function refuseReadFiles(fd: number, readFiles: readonly ReadFile[], name: string): void {
  const output = fstatSync(fd);
  if (!output.isFile()) return;
  const same = readFiles.find(({ stats }) => stats.dev === output.dev && stats.ino === output.ino);
  if (same === undefined) return;
  throw new CallError({ source: name }, `the output is the ${same.role} file`, 'name another file');
}

function isFifo(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
}

/** Readable, too, to see how it ends; a log that may only be written is taken as it is. */
function openForAppending(path: string): number {
  try {
    return openSync(path, 'a+');
  } catch (error) {
    // A FIFO without a reader must not keep the process waiting.
    if (systemErrorCode(error) === 'EACCES') return openSync(path, WRITE_AT_END | constants.O_NONBLOCK);
    throw error;
  }
}

/** Without O_NONBLOCK, opening would keep signal handlers from running until there is a reader. */
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
 * The instant of the last load-failure record of a log, as a Unix second; undefined if it has none, is no regular file or may not be read.
 * Reads from the end, a block at a time.
 */
export async function findLastLoadFailure(fd: number, signal: AbortSignal): Promise<number | undefined> {
  const stats = fstatSync(fd);
  if (!stats.isFile() || !isReadable(fd)) return undefined;
  const block = Buffer.allocUnsafe(READ_BYTES);
  /** The end of the line that begins in a block before; undefined if it is too long to be a record. */
  let lineEnd: Buffer | undefined = Buffer.alloc(0);
  for (let until = stats.size; until > 0;) {
    const from = Math.max(0, until - READ_BYTES);
    const read = block.subarray(0, readSync(fd, block, 0, until - from, from));
    const bytes: Buffer = Buffer.concat([read, lineEnd ?? Buffer.alloc(0)]);
    const firstLf = bytes.indexOf(LF);
    if (firstLf !== -1 || from === 0) {
      const wholeFrom = from === 0 ? 0 : firstLf + 1;
      const second = lastLoadFailureOf(bytes.toString('latin1', wholeFrom).split('\n'));
      if (second !== undefined) return second;
      lineEnd = Buffer.from(bytes.subarray(0, firstLf));
    } else if (lineEnd !== undefined) {
      lineEnd = bytes.length > MAX_RECORD_BYTES ? undefined : bytes;
    }
    until = from;
    await setImmediate();
    signal.throwIfAborted();
  }
  return undefined;
}

function lastLoadFailureOf(lines: readonly string[]): number | undefined {
  for (const line of lines.toReversed()) {
    const record = line.length > MAX_RECORD_BYTES ? undefined : parseRecord(line);
    if (record?.kind === 'load_failure') return record.second;
  }
  return undefined;
}

/**
 * Ends a record that a run before left half-written with an LF, so that the next one begins on a line of its own.
 *
 * @returns whether there was one
 */
export async function endHalfRecord(fd: number): Promise<boolean> {
  const stats = fstatSync(fd);
  if (!stats.isFile() || !isReadable(fd) || endsInLf(fd, stats.size)) return false;
  await setTimeout(SETTLE_MS);
  // While another appender writes without a pause, the file would seem to end in half a record at every look.
  if (fstatSync(fd).size !== stats.size) return false;
  writeSync(fd, '\n');
  return true;
}

/** Whether a file of some size ends in these bytes. @throws where it may not be read */
export function endsWith(fd: number, size: number, bytes: Uint8Array): boolean {
  // Standard output may be open for writing alone.
  const readable = openSync(`/dev/fd/${String(fd)}`, 'r');
  try {
    const end = Buffer.alloc(bytes.length);
    const from = size - bytes.length;
    return from >= 0 && readSync(readable, end, 0, end.length, from) === end.length && end.equals(bytes);
  } finally {
    closeSync(readable);
  }
}

function isReadable(fd: number): boolean {
  try {
    readSync(fd, Buffer.alloc(1), 0, 1, 0);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EBADF') return false;
    throw error;
  }
}

function endsInLf(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === LF;
}

/** Whether a regular file has lost its last name: nobody will read what it holds. */
export function isRemoved(fd: number): boolean {
  return fstatSync(fd).nlink === 0;
}

/** @throws CallError if a regular file has been removed */
export function refuseRemoved(fd: number, path: string): void {
  if (!isRemoved(fd)) return;
  throw new CallError({ source: path }, 'it was removed while it was written', 'run it again, or send SIGHUP after a removal');
}

/** Closes a log; on some file systems (NFS) only this tells of a write that failed. */
export function closeLogFile(fd: number, path: string): void {
  try {
    closeSync(fd);
  } catch (error) {
    throw explainSystemError(error, path);
  }
}
