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

/** A source of bytes that has been opened. */
export interface Input {
  /** What messages call it: the file as it was given, or `<stdin>`. */
  readonly source: string;
  /** Which file it is, to tell whether another descriptor is the same one. */
  readonly stats: Stats;
  /**
   * The bytes, to be read once. A chunk is good until the next one is asked for. Throws the signal's reason once it is aborted,
   * a CallError where reading fails, and a DataError if they are compressed.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether more bytes are there already, or will come without a wait. */
  readonly hasMore: () => boolean;
}

/** A file is read so much at a time: where a log is read, the group that a chunk cuts in two costs as much as ten others. */
const CHUNK_BYTES = 1 << 18;
const STDIN_FD = 0;

/**
 * Opens a file for reading, or whatever else has a path (a FIFO, `/dev/fd/63`).
 *
 * @param signal ends the reading
 * @throws CallError if it cannot be opened, or is a folder
 * @throws DataError if it is a compressed file
 */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  const opened = new AbortController();
  try {
    // On the thread pool: opening a FIFO takes until somebody opens its other end.
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
 * Takes standard input.
 *
 * @param stdin `process.stdin`, asked for only where it is no file: reads of a pipe on the thread pool could not be called off
 * @param signal ends the reading
 * @throws CallError if it is a folder
 * @throws DataError if it is a compressed file
 */
export function openStdin(stdin: () => Readable, signal: AbortSignal): Input {
  const stats = fstatSync(STDIN_FD);
  if (isPipe(STDIN_FD) || isatty(STDIN_FD)) return streamInput(stdin(), '<stdin>', stats, signal);
  return fileInput(STDIN_FD, '<stdin>', stats, signal);
}

/** @param done ends the waiting, so that nothing of it stays with a signal that lives on */
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

/** A file never keeps its reader waiting: its first chunk is read at once, so that a bad input is refused before there is an output. */
function fileInput(fd: number, source: string, stats: Stats, signal: AbortSignal): Input {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const first = buffer.subarray(0, readChunk(fd, buffer, source));
  refuseCompressed(first, source);
  return { source, stats, chunks: readFile(fd, first, buffer, source, signal), hasMore: () => true };
}

/** @param first what has been read already, at the beginning of `buffer` */
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
      // Lets a signal's handler run: reading a file never waits by itself.
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
