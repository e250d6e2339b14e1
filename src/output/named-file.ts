import { closeSync, fstatSync, ftruncateSync, openSync, readSync, write, writeSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { CallError, explainSystemError } from '../errors.js';
import { findLastSecond } from '../reading/log-ends.js';
import { escapeText } from '../wording.js';
import type { Sink } from './destination.js';
import { endHalfRecord, isSameFile, readAt, reopenLogFile, type UsedFile } from './log-file.js';
import { FILE_PACKET_BYTES, PIPE_PACKET_BYTES } from './packet.js';

/** Before retrying a terminal that takes nothing (Ctrl-S). */
const TERMINAL_DELAY_MS = 10;

/**
 * Writes to a file, a device or a terminal, each packet with one `write` call: with O_APPEND other appenders cannot interleave. Writes to a
 * terminal use the thread pool, so that they do not block signal handlers; writes to a file do not, which is faster.
 */
export class FileSink implements Sink {
  readonly mayRecover = true;
  readonly packetBytes: number;
  readonly stats: Stats;
  readonly isTerminal: boolean;
  taken = 0;
  readonly #fd: number;
  readonly #name: string;
  /** Of a regular file, unless another process has appended since the last write. */
  #size = 0;
  /** True once the file was truncated: the offset of a descriptor without O_APPEND (`>`) is then behind its end. */
  #wasCut = false;

  /** @param name the name in messages: the path as given, or `<stdout>` */
  constructor(fd: number, name: string) {
    this.#fd = fd;
    this.#name = name;
    this.stats = fstatSync(fd);
    this.packetBytes = this.stats.isFile() ? FILE_PACKET_BYTES : PIPE_PACKET_BYTES;
    this.isTerminal = isatty(fd);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.taken = 0;
    try {
      if (this.stats.isFile()) this.#size = fstatSync(this.#fd).size;
      while (this.taken < bytes.length) {
        const taken = this.isTerminal
          ? await writeToTerminal(this.#fd, bytes, this.taken)
          : writeSync(this.#fd, bytes, this.taken, bytes.length - this.taken, this.#wasCut ? this.#size : null);
        this.#size += taken;
        this.taken += taken;
      }
    } catch (error) {
      throw explainSystemError(error, this.#name);
    }
  }

  /** Cuts off the last bytes of a regular file, unless another process has appended to it since. */
  takeBack(bytes: Uint8Array): void {
    if (!this.stats.isFile() || bytes.length === 0) return;
    try {
      const { size } = fstatSync(this.#fd);
      // A size other than expected is fine if another process appended before the last write, but not since.
      if (size !== this.#size && !endsWith(this.#fd, size, bytes)) return;
      ftruncateSync(this.#fd, size - bytes.length);
      this.#wasCut = true;
    } catch {
      // An append-only file (chattr +a) cannot be truncated. The error of the write is reported.
    }
  }
}

/** Gives the number of bytes that the terminal took: none while it is stopped. */
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

export interface FileOptions {
  /** The output must be another file. */
  readonly usedFiles: readonly UsedFile[];
  readonly noun: string;
  readonly signal: AbortSignal;
  /** Takes a line about half a record that was ended, or a file that cannot be reopened or was removed. */
  readonly warn: (message: string) => void;
  /** True to reopen a path that names another file or none, as a program does that opens its log for each record. */
  readonly followsPath?: boolean | undefined;
}

const CHECK_MS = 1000;

const BLOCK_BYTES = 1 << 16;

type ReopeningCause = 'on SIGHUP' | 'found by a look at its path';

/** A named file or device, opened for appending. */
export class NamedFile implements Sink {
  readonly mayRecover = true;
  readonly stats: Stats;
  readonly isTerminal: boolean;
  readonly packetBytes: number;
  taken = 0;
  readonly path: string;
  readonly options: FileOptions;
  #fd: number;
  #file: FileSink;
  /** `-o /dev/fd/3` may be a file without a name, read by a process that holds it open. */
  readonly #isWatched: boolean;
  readonly #timer: NodeJS.Timeout;
  /** The last warning about the state of the file, which is said once. */
  #warned = '';
  /** True while the file may end in half a record: before the first write, and after a failed write. */
  #mayBeTorn = true;
  #isInUse = false;
  /** A reopening that waits until the file is not in use. */
  #awaited: ReopeningCause | undefined;

  /** @param path as given */
  constructor(fd: number, path: string, options: FileOptions) {
    this.#fd = fd;
    this.#file = new FileSink(fd, path);
    this.path = path;
    this.options = options;
    ({ stats: this.stats, isTerminal: this.isTerminal, packetBytes: this.packetBytes } = this.#file);
    this.#isWatched = this.stats.isFile() && this.stats.nlink > 0;
    this.#timer = setInterval(this.#checkPath.bind(this), CHECK_MS).unref();
  }

  /** Another one after a reopening. */
  get fd(): number {
    return this.#fd;
  }

  write(bytes: Uint8Array): Promise<void> {
    this.taken = 0;
    return this.use(async () => {
      await this.endTorn();
      this.#mayBeTorn = true;
      try {
        await this.#file.write(bytes);
        this.#mayBeTorn = false;
      } finally {
        this.taken = this.#file.taken;
      }
    });
  }

  takeBack(bytes: Uint8Array): void {
    this.#file.takeBack(bytes);
  }

  /** Ends half a record at the end of the file. */
  async endTorn(): Promise<void> {
    const isEnded = this.#mayBeTorn && (await endHalfRecord(this.#fd));
    this.#mayBeTorn = false;
    if (isEnded) this.options.warn(`${escapeText(this.path)}: the file ended in half a record; a line feed was added`);
  }

  findLastSecond(): Promise<number | undefined> {
    return this.use(() => findLastSecond(readFromEnd(this.#fd, this.options.signal)));
  }

  /** Runs work during which the file is not reopened. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work();
    } catch (error) {
      throw explainSystemError(error, this.path);
    } finally {
      this.#isInUse = false;
      if (this.#awaited !== undefined) this.#reopenFor(this.#awaited);
    }
  }

  reopen(): void {
    if (this.stats.isFile()) this.#reopenFor('on SIGHUP');
  }

  #reopenFor(cause: ReopeningCause): void {
    if (this.#isInUse) {
      this.#awaited ??= cause;
      return;
    }
    this.#awaited = undefined;
    try {
      if (cause === 'found by a look at its path' && isSameFile(this.#fd, this.path)) return;
      this.#warnIfRemoved();
      this.openAnew();
    } catch (error) {
      const explained = explainSystemError(error, this.path);
      if (!(explained instanceof CallError)) throw error;
      const message = `${explained.message} (${cause}; the run goes on in the file that it has open)`;
      if (cause === 'on SIGHUP') this.options.warn(message);
      else this.#warnOnce(message);
    }
  }

  /** Switches to the file now at the path, or creates it. @throws what `reopenLogFile` throws */
  openAnew(): void {
    const before = this.#fd;
    this.#fd = reopenLogFile(this.path, this.options.usedFiles);
    this.#file = new FileSink(this.#fd, this.path);
    this.#mayBeTorn = true;
    this.#warned = '';
    closeSync(before);
  }

  close(error?: unknown): void {
    clearInterval(this.#timer);
    if (error !== undefined) {
      this.#warnIfRemoved();
      return;
    }
    if (this.#isWatched && this.#isRemoved()) {
      const remedy = 'run it again, or send SIGHUP after a removal';
      throw new CallError({ source: this.path }, 'the file was removed during the run', remedy);
    }
    try {
      closeSync(this.#fd);
    } catch (failure) {
      // Some file systems (NFS) report failed writes only on closing.
      throw explainSystemError(failure, this.path);
    }
  }

  #checkPath(): void {
    if (this.options.followsPath !== true) this.#warnIfRemoved();
    else if (this.#isWatched) this.#reopenFor('found by a look at its path');
  }

  /** The file has lost its last name, so nobody will read its content. */
  #isRemoved(): boolean {
    return fstatSync(this.#fd).nlink === 0;
  }

  #warnIfRemoved(): void {
    // A path that is followed is opened anew before much is lost.
    if (this.options.followsPath === true || !this.#isWatched || !this.#isRemoved()) return;
    const message = 'the file was removed during the run; what is written is lost until SIGHUP creates the file anew';
    this.#warnOnce(`${escapeText(this.path)}: ${message}`);
  }

  #warnOnce(message: string): void {
    if (this.#warned !== message) this.options.warn(message);
    this.#warned = message;
  }
}

/** Reads a file backwards. Gives nothing for a device or a write-only file. */
async function* readFromEnd(fd: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  for (let until = fstatSync(fd).size; until > 0;) {
    const from = Math.max(0, until - BLOCK_BYTES);
    const length = readAt(fd, block.subarray(0, until - from), from);
    if (length === 0) return;
    yield block.subarray(0, length);
    until = from;
    await setImmediate();
    signal.throwIfAborted();
  }
}
