import { closeSync, fstatSync, ftruncateSync, openSync, readSync, write, writeSync, type Stats } from 'node:fs';
import { isatty } from 'node:tty';
import { explainSystemError } from '../errors.js';
import type { Sink } from './destination.js';
import { FILE_PACKET_BYTES, PIPE_PACKET_BYTES } from './piece.js';

/** Before retrying a terminal that takes nothing (Ctrl-S). */
const TERMINAL_DELAY_MS = 10;

/**
 * Writes to a file, a device or a terminal, each packet with one `write` call: with O_APPEND other appenders cannot interleave. Writes to a
 * terminal use the thread pool, so that they do not block signal handlers; writes to a file do not, which is faster.
 */
export class FileSink implements Sink {
  readonly packetBytes: number;
  readonly stats: Stats;
  readonly isTerminal: boolean;
  taken = 0;
  protected fd: number;
  protected readonly name: string;
  /** Of a regular file, unless another process has appended since the last write. */
  #size = 0;
  /** True once the file was truncated: the offset of a descriptor without O_APPEND (`>`) is then behind its end. */
  #wasCut = false;

  constructor(fd: number, name: string) {
    this.fd = fd;
    this.name = name;
    this.stats = fstatSync(fd);
    this.packetBytes = this.stats.isFile() ? FILE_PACKET_BYTES : PIPE_PACKET_BYTES;
    this.isTerminal = isatty(fd);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.taken = 0;
    try {
      if (this.stats.isFile()) this.#size = fstatSync(this.fd).size;
      while (this.taken < bytes.length) {
        const taken = this.isTerminal
          ? await writeToTerminal(this.fd, bytes, this.taken)
          : writeSync(this.fd, bytes, this.taken, bytes.length - this.taken, this.#wasCut ? this.#size : null);
        this.#size += taken;
        this.taken += taken;
      }
    } catch (error) {
      throw explainSystemError(error, this.name);
    }
  }

  /** Cuts off the last bytes of a regular file, unless another process has appended to it since. */
  takeBack(bytes: Uint8Array): void {
    if (!this.stats.isFile() || bytes.length === 0) return;
    try {
      const { size } = fstatSync(this.fd);
      // A size other than expected is fine if another process appended before the last write, but not since.
      if (size !== this.#size && !endsWith(this.fd, size, bytes)) return;
      ftruncateSync(this.fd, size - bytes.length);
      this.#wasCut = true;
    } catch {
      // An append-only file (chattr +a) cannot be truncated. The error of the write is reported.
    }
  }
}

function writeToTerminal(fd: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') setTimeout(resolve, TERMINAL_DELAY_MS, 0);
      else reject(error);
    });
  });
}

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
