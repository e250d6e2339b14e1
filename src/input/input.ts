import { once } from 'node:events';
import { closeSync, fstatSync, open, readSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { isPipe } from './is-pipe.js';
import { explainSystemError } from '../errors.js';
import { passUncompressed, refuseCompressed } from './compression.js';

/** An input that is open. */
export interface Input {
  /** The name in messages: the file as it was given, or `<stdin>`. */
  readonly source: string;
  /** The identity of the file: the output must be another file. */
  readonly stats: Stats;
  /**
   * The bytes, to be read once. A chunk is valid until the next one is requested. Throws the reason of the signal once the signal
   * is aborted, a CallError if reading fails, and a DataError if the bytes are compressed.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** True while more bytes are there, or will come without a wait. */
  readonly hasMore: () => boolean;
}

/** The size of a read from a file. When a log is read, the group that a chunk cuts in two takes as much time as ten others. */
const CHUNK_BYTES = 1 << 18;
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
    return fileInput(fd, path, stats, signal);
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
  return fileInput(STDIN_FD, '<stdin>', stats, signal);
}

/** @param done ends the waiting, and removes its listener from a signal that lives longer */
async function rejectOnAbort(signal: AbortSignal, done: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, 'abort', { signal: done });
  throw signal.reason;
}

function streamInput(stream: Readable, source: string, stats: Stats, signal: AbortSignal): Input {
  const chunks = passUncompressed(readStream(stream, source, signal), source);
  return { source, stats, chunks, hasMore: () => stream.readableLength > 0 };
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

/** Reads the first chunk of a file at once, so that a bad input is refused before the output is opened. */
function fileInput(fd: number, source: string, stats: Stats, signal: AbortSignal): Input {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const first = buffer.subarray(0, readChunk(fd, buffer, source));
  refuseCompressed(first, source);
  return { source, stats, chunks: readFile(fd, first, buffer, source, signal), hasMore: () => true };
}

/** @param first the bytes that have been read, at the beginning of `buffer` */
async function* readFile(
  fd: number,
  first: Uint8Array,
  buffer: Uint8Array,
  source: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for (let { length } = first; length > 0; length = readChunk(fd, buffer, source)) {
      yield buffer.subarray(0, length);
      // Signal handlers run here: reading a file does not wait.
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    if (fd !== STDIN_FD) closeSync(fd);
  }
}

function readChunk(fd: number, buffer: Uint8Array, source: string): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    throw explainSystemError(error, source);
  }
}
