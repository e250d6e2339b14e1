import { closeSync, fstatSync, ftruncateSync, openSync, readSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { explainSystemError } from '../errors.js';
import { FILE_CHUNK_BYTES, PIPE_CHUNK_BYTES, type Chunk } from './chunk.js';
import { Destination } from './destination.js';

/** The pause before a terminal that takes nothing (Ctrl-S) is tried again. */
const TERMINAL_DELAY_MS = 10;

/**
 * Writes to a file, a device or a terminal, each chunk with one `write` call. With O_APPEND the kernel finds the end of the file and
 * writes there under one lock: no other appender can come between. Writes to a terminal are made on the thread pool, where they
 * block no signal handler; for a file the thread pool takes twice the time.
 */
export class FileDestination extends Destination {
  override readonly mayRecover = true;
  override readonly chunkBytes: number;
  override readonly isTerminal: boolean;
  /** The name in messages: the file as it was given, or `<stdout>`. */
  protected readonly name: string;
  /** The descriptor that is written to. */
  protected fd: number;
  /** The size of a regular file, unless another process has appended since the last write. */
  protected size = 0;
  /** True once a regular file was cut back. The offset of a descriptor without O_APPEND (`>`) is then behind its end. */
  #wasCut = false;

  /** @param fd a descriptor that is open for writing */
  constructor(fd: number, name: string, noun: string) {
    super(noun, fstatSync(fd));
    this.fd = fd;
    this.name = name;
    this.chunkBytes = this.stats.isFile() ? FILE_CHUNK_BYTES : PIPE_CHUNK_BYTES;
    this.isTerminal = isatty(fd);
  }

  /** Writes pieces. If that fails, cuts a regular file back to the last whole piece, unless another process has appended. */
  override async write(chunk: Chunk): Promise<void> {
    const { bytes } = chunk;
    let written = 0;
    try {
      if (this.stats.isFile()) this.size = fstatSync(this.fd).size;
      while (written < bytes.length) {
        const taken = this.isTerminal
          ? await writeToTerminal(this.fd, bytes, written)
          : writeSync(this.fd, bytes, written, bytes.length - written, this.#wasCut ? this.size : null);
        this.size += taken;
        written += taken;
      }
    } catch (error) {
      const standing = chunk.slice(0, chunk.piecesWithin(written));
      this.takeBack(bytes.subarray(standing.bytes.length, written));
      this.count(standing);
      throw explainSystemError(error, this.name);
    }
    this.count(chunk);
  }

  /** Cuts off the last bytes of a regular file, unless another process has appended to it since. */
  override takeBack(bytes: Uint8Array): void {
    if (!this.stats.isFile() || bytes.length === 0) return;
    try {
      const { size } = fstatSync(this.fd);
      // Another process may have appended before the last write, and not since.
      if (size !== this.size && !endsWith(this.fd, size, bytes)) return;
      ftruncateSync(this.fd, size - bytes.length);
      this.#wasCut = true;
    } catch {
      // An append-only file (chattr +a) cannot be cut. The error of the write is the one to report.
    }
  }
}

/** Makes one `write` call for the bytes from an offset on. @returns the number of bytes that the terminal took */
function writeToTerminal(fd: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') setTimeout(resolve, TERMINAL_DELAY_MS, 0);
      else reject(error);
    });
  });
}

/** True if a file of `size` bytes ends in `bytes`. @throws the system's error if the file may not be read */
function endsWith(fd: number, size: number, bytes: Uint8Array): boolean {
  // Standard output may be open for writing only.
  const readable = openSync(`/dev/fd/${String(fd)}`, 'r');
  try {
    const end = Buffer.alloc(bytes.length);
    const from = size - bytes.length;
    return from >= 0 && readSync(readable, end, 0, end.length, from) === end.length && end.equals(bytes);
  } finally {
    closeSync(readable);
  }
}
