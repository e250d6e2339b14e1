import { once, setMaxListeners } from 'node:events';
import { closeSync, fstatSync, open, openSync, readSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { explainSystemError } from '../errors.js';
import { Peekable } from './peekable.js';
import { isGzip, MAGIC_BYTES, startCheck, unpack, type ByteCounts } from './unpack.js';

export interface Input {
  readonly source: string;
  readonly stats: Stats;
  /** The bytes, unpacked, to be read once; a block is valid until the next. @throws the reason of the signal, CallError, DataError */
  readonly blocks: AsyncIterable<Uint8Array>;
  /** True while more bytes are there, or will come without a wait. */
  readonly hasMore: () => boolean;
  /** The bytes without taking them from `blocks`, before these are asked for: of a file all, else at most 16 MiB. */
  readonly peek: () => AsyncIterable<Uint8Array>;
  /** Reads the bytes of `blocks` at a position, and returns their number; undefined where that cannot be done (a pipe, gzip). */
  readonly readAt?: ((buffer: Uint8Array, position: number) => number) | undefined;
  /** False for a pipe, whatever comes through it. */
  readonly isGzip: boolean;
  readonly counts: Readonly<ByteCounts>;
}

const BLOCK_BYTES = 1 << 20;
const STDIN_FD = 0;

/** Opens what has a path (a file, a FIFO, `/dev/fd/63`), until the process ends. @throws CallError, DataError if it is compressed */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  // Node warns of more than ten listeners.
  setMaxListeners(0, signal);
  try {
    // Opened on the thread pool: opening a FIFO blocks until its other end is opened.
    const fd = await Promise.race([promisify(open)(path, 'r'), rejectOnAbort(signal)]);
    const stats = fstatSync(fd);
    if (isatty(fd)) return streamInput(new ReadStream(fd), path, stats, signal);
    if (isPipe(stats)) return streamInput(new Socket({ fd, readable: true, writable: false }), path, stats, signal);
    return fileInput(fd, path, stats, signal, stats.isFile());
  } catch (error) {
    throw explainSystemError(error, path);
  }
}

/** @param stdin is called only for a pipe, a socket or a terminal: reads on the thread pool cannot be cancelled */
export function openStdin(stdin: () => Readable, signal: AbortSignal): Input {
  const stats = fstatSync(STDIN_FD);
  if (isPipe(stats) || isatty(STDIN_FD)) return streamInput(stdin(), '<stdin>', stats, signal);
  return fileInput(STDIN_FD, '<stdin>', stats, signal, false);
}

/** True for a pipe or a socket, whose other end may stall: a blocking call would keep signal handlers from running. */
export function isPipe(stats: Stats): boolean {
  return stats.isFIFO() || stats.isSocket();
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

function streamInput(stream: Readable, source: string, stats: Stats, signal: AbortSignal): Input {
  const counts = { bytesRead: 0, bytesGiven: 0 };
  const blocks = new Peekable(unpack(readStream(stream, source, signal), source, counts));
  const hasMore = (): boolean => blocks.hasMore || stream.readableLength > 0;
  return { source, stats, isGzip: false, blocks, peek: () => blocks.peek(), hasMore, counts };
}

async function* readStream(stream: Readable, source: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const block of addAbortSignal(signal, stream)) if (block instanceof Uint8Array) yield block;
  } catch (error) {
    if (!signal.aborted) throw explainSystemError(error, source);
  }
  signal.throwIfAborted();
}

/** @param isFile true for bytes that can be read several times; false for a device, and for a descriptor that somebody else uses */
function fileInput(fd: number, source: string, stats: Stats, signal: AbortSignal, isFile: boolean): Input {
  const isPacked = refuseStart(fd, source);
  const counts = { bytesRead: 0, bytesGiven: 0 };
  const opened = { source, stats, isGzip: isPacked, hasMore: () => true, counts };
  const read = (counted: ByteCounts) => unpack(readFile(fd, source, signal, isFile ? 0 : null), source, counted);
  if (!isFile) {
    const blocks = new Peekable(read(counts));
    return { ...opened, blocks, peek: () => blocks.peek() };
  }
  const readAt: Input['readAt'] = isPacked ? undefined : (buffer, position) => readSync(fd, buffer, { position });
  return { ...opened, blocks: read(counts), peek: () => read({ ...counts }), readAt };
}

/** Refuses a file for its first bytes before there is an output. True if it is gzip. @throws DataError, CallError */
function refuseStart(fd: number, source: string): boolean {
  try {
    const bytes = Buffer.alloc(MAGIC_BYTES);
    const start = bytes.subarray(0, readSync(fd, bytes, { position: 0 }));
    return isGzip(startCheck(source, 'stored')(start));
  } catch (error) {
    throw explainSystemError(error, source);
  }
}

/** Reads a file or a device, which do not keep their reader waiting. @param start null to read from where the descriptor is */
async function* readFile(fd: number, source: string, signal: AbortSignal, start: 0 | null): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  try {
    for (let position: number | null = start; ;) {
      const length = readSync(fd, buffer, { position });
      if (length === 0) return;
      if (position !== null) position += length;
      yield buffer.subarray(0, length);
      // Signal handlers run here: reading a file does not wait.
      await setImmediate();
      signal.throwIfAborted();
    }
  } catch (error) {
    throw explainSystemError(error, source);
  }
}

export function readStart(path: string, maxBytes: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const start = Buffer.alloc(maxBytes);
    let length = 0;
    for (let read = -1; read !== 0 && length < maxBytes; length += read)
      read = readSync(fd, start, length, maxBytes - length, null);
    return start.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
