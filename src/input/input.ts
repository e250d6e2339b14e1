import { once } from 'node:events';
import { closeSync, fstatSync, open, readSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { isPipe } from './is-pipe.js';
import { explainSystemError } from '../errors.js';
import { Peekable } from './peekable.js';
import { isGzip, MAGIC_BYTES, refuseCompressed, UnpackedBytes } from './unpacked-bytes.js';

/** An input that is open. */
export interface Input {
  /** The name in messages: the file as it was given, or `<stdin>`. */
  readonly source: string;
  /** The identity of the file: the output must be another file. */
  readonly stats: Stats;
  /**
   * The bytes, to be read once; gzip is unpacked. A chunk is valid until the next one is requested. Throws the reason of the signal once
   * the signal is aborted, a CallError if reading fails, and a DataError if the gzip is broken or the bytes are compressed in another way.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** True while more bytes are there, or will come without a wait. */
  readonly hasMore: () => boolean;
  /**
   * Gives the bytes from the first one on without taking them from `chunks`, before those are asked for. Of a file all bytes, else at
   * most 16 MiB. A fault of the data may end them.
   */
  readonly peek: () => AsyncIterable<Uint8Array>;
  /** True for a regular file whose bytes are gzip. */
  readonly isGzip: boolean;
  /** Returns how many bytes `chunks` has read from the file, as they are stored there. */
  readonly bytesRead: () => number;
  /** Returns how many bytes `chunks` has given, unpacked. */
  readonly bytesGiven: () => number;
}

/** The size of a read from a file. With reads of 256 KiB `parse` took 10 % more processor time: each chunk passes through all readers. */
const CHUNK_BYTES = 1 << 20;

const STDIN_FD = 0;

/**
 * Opens a file for reading, or anything else that has a path (a FIFO, `/dev/fd/63`).
 *
 * @param signal ends the reading
 * @throws CallError if the file cannot be opened, or is a folder
 * @throws DataError if the file is compressed
 */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  const opened = new AbortController();
  try {
    // Opened on the thread pool: opening a FIFO blocks until its other end is opened.
    const fd = await Promise.race([promisify(open)(path, 'r'), rejectOnAbort(signal, opened.signal)]);
    const stats = fstatSync(fd);
    if (isatty(fd)) return streamInput(new ReadStream(fd), path, stats, signal);
    if (isPipe(fd)) return streamInput(new Socket({ fd, readable: true, writable: false }), path, stats, signal);
    return stats.isFile() ? fileInput(fd, path, stats, signal) : deviceInput(fd, path, stats, signal);
  } catch (error) {
    throw explainSystemError(error, path);
  } finally {
    opened.abort();
  }
}

/**
 * Opens standard input.
 *
 * @param stdin gives `process.stdin`; called only for a pipe, a socket or a terminal, whose reads on the thread pool could not be
 *   cancelled
 * @param signal ends the reading
 * @throws CallError if standard input is a folder
 * @throws DataError if standard input is a compressed file
 */
export function openStdin(stdin: () => Readable, signal: AbortSignal): Input {
  const stats = fstatSync(STDIN_FD);
  if (isPipe(STDIN_FD) || isatty(STDIN_FD)) return streamInput(stdin(), '<stdin>', stats, signal);
  return deviceInput(STDIN_FD, '<stdin>', stats, signal);
}

/** @param done ends the waiting, and removes its listener from a signal that lives longer */
async function rejectOnAbort(signal: AbortSignal, done: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, 'abort', { signal: done });
  throw signal.reason;
}

function streamInput(stream: Readable, source: string, stats: Stats, signal: AbortSignal): Input {
  return readOnce(readStream(stream, source, signal), { source, stats, hasMore: () => stream.readableLength > 0 });
}

async function* readStream(stream: Readable, source: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stop = (): void => {
    stream.destroy();
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', stop);
  try {
    for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    if (!signal.aborted) throw explainSystemError(error, source);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
}

/** @param stored bytes that can be read only once */
function readOnce(
  stored: AsyncIterable<Uint8Array>,
  { source, stats, hasMore }: Pick<Input, 'source' | 'stats' | 'hasMore'>,
): Input {
  const bytes = new UnpackedBytes(stored, source);
  const chunks = new Peekable(bytes);
  return {
    source,
    stats,
    chunks,
    hasMore: () => chunks.hasMore || bytes.hasMore || hasMore(),
    peek: () => chunks.peek(),
    isGzip: false,
    bytesRead: () => bytes.bytesRead,
    bytesGiven: () => bytes.bytesGiven,
  };
}

/** A device, or standard input that is a file. */
function deviceInput(fd: number, source: string, stats: Stats, signal: AbortSignal): Input {
  const start = readStart(fd, source, null);
  return readOnce(readFile(fd, source, signal, { start }), { source, stats, hasMore: () => true });
}

/** A file, whose bytes can be read several times. */
function fileInput(fd: number, source: string, stats: Stats, signal: AbortSignal): Input {
  const start = readStart(fd, source, 0);
  const chunks = new UnpackedBytes(readFile(fd, source, signal, { from: 0, closes: true }), source);
  return {
    source,
    stats,
    chunks,
    hasMore: () => true,
    peek: () => new UnpackedBytes(readFile(fd, source, signal, { from: 0 }), source),
    isGzip: isGzip(start),
    bytesRead: () => chunks.bytesRead,
    bytesGiven: () => chunks.bytesGiven,
  };
}

/** The reading of an open file. */
interface FileReading {
  /** 0 for a file whose bytes may be read several times; left out for a descriptor that somebody has read from. */
  readonly from?: number;
  /** Bytes that were read before. */
  readonly start?: Uint8Array;
  /** True to close the file at the end. */
  readonly closes?: boolean;
}

/** Reads an open file or device, which does not keep its reader waiting. A chunk is valid until the next one is requested. */
async function* readFile(
  fd: number,
  source: string,
  signal: AbortSignal,
  { from, start, closes = false }: FileReading,
): AsyncGenerator<Uint8Array> {
  try {
    if (start !== undefined && start.length > 0) yield start;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = from ?? null; ;) {
      const length = read(fd, buffer, source, position);
      if (length === 0) return;
      if (position !== null) position += length;
      yield buffer.subarray(0, length);
      // Signal handlers run here: reading a file does not wait.
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    if (closes) closeSync(fd);
  }
}

/**
 * Reads the first bytes at once, so that a bad input is refused before there is an output.
 *
 * @param position 0 for a file; null for a descriptor, which loses these bytes
 */
function readStart(fd: number, source: string, position: number | null): Uint8Array {
  const buffer = Buffer.alloc(MAGIC_BYTES);
  const start = buffer.subarray(0, read(fd, buffer, source, position));
  refuseCompressed(start, source);
  return start;
}

function read(fd: number, buffer: Uint8Array, source: string, position: number | null): number {
  try {
    return readSync(fd, buffer, { position });
  } catch (error) {
    throw explainSystemError(error, source);
  }
}
