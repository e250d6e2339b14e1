import { closeSync, fstatSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { CallError, explainSystemError } from '../errors.js';
import { findLastSecond } from '../reading/log-ends.js';
import { escapeText } from '../wording.js';
import { FileSink } from './file-sink.js';
import { endHalfRecord, isSameFile, readAt, reopenLogFile, type UsedFile } from './log-file.js';
import type { Sink } from './sink.js';

/** Options of a file that is appended to. */
export interface FileOptions {
  /** The files that the run uses otherwise: the output must be another file. */
  readonly usedFiles: readonly UsedFile[];
  /** The noun of what is written and counted, in the singular: `group`, `row`. */
  readonly noun: string;
  /** Aborts the wait for a FIFO's reader, and the search for the last load failure. */
  readonly signal: AbortSignal;
  /** Takes a line about half a record that was ended, or a file that cannot be reopened or was removed. */
  readonly warn: (message: string) => void;
  /**
   * True to reopen the path once it names another file or none, as a program does that opens its log for each record: a rotation then
   * needs no SIGHUP. For what writes in real time.
   */
  readonly followsPath?: boolean | undefined;
}

/** The interval at which the path of an open file is checked. */
const CHECK_MS = 1000;

/** The size of a read from the end of a file. */
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
  /** True for a regular file with a name. `-o /dev/fd/3` may be a file without a name, read by a process that holds it open. */
  readonly #isWatched: boolean;
  readonly #timer: NodeJS.Timeout;
  /** The last warning from a look at the open file, so that its state is reported once. */
  #warned = '';
  /** True while the file may end in half a record: before the first write, and after a failed write. */
  #mayBeTorn = true;
  #isInUse = false;
  /** The cause of a reopening that waits until the file is not in use. */
  #awaited: ReopeningCause | undefined;

  /** @param fd the open file @param path its name, as given */
  constructor(fd: number, path: string, options: FileOptions) {
    this.#fd = fd;
    this.#file = new FileSink(fd, path);
    this.path = path;
    this.options = options;
    ({ stats: this.stats, isTerminal: this.isTerminal, packetBytes: this.packetBytes } = this.#file);
    this.#isWatched = this.stats.isFile() && this.stats.nlink > 0;
    this.#timer = setInterval(this.#checkPath.bind(this), CHECK_MS).unref();
  }

  /** The descriptor of the open file; another one after a reopening. */
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

  /** Ends half a record at the end of the file, if there may be half a record. */
  async endTorn(): Promise<void> {
    const isEnded = this.#mayBeTorn && (await endHalfRecord(this.#fd));
    this.#mayBeTorn = false;
    if (isEnded) this.options.warn(`${escapeText(this.path)}: the file ended in half a record; a line feed was added`);
  }

  findLastSecond(): Promise<number | undefined> {
    return this.use(() => findLastSecond(readFromEnd(this.#fd, this.options.signal)));
  }

  /** Runs work during which the file is not reopened. @throws what the work throws, system errors as CallError */
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

  /** Switches to the file now at the path, which is created if it does not exist. @throws what `reopenLogFile` throws */
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

  /** True if the file has lost its last name, so that nobody will read its content. */
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

/** Reads a file backwards in blocks, the last block first. Gives nothing for a device or a write-only file. */
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
