import { closeSync, fstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { CallError, explainSystemError } from '../errors.js';
import { findLastSecond } from '../reading/log-ends.js';
import { escapeText } from '../wording.js';
import type { Packet } from './packet.js';
import { FileDestination } from './file-destination.js';
import { endHalfRecord, readAt, reopenLogFile, type UsedFile } from './log-file.js';

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
}

/** The interval at which an open file is checked for its removal. */
const REMOVAL_CHECK_MS = 2000;

/** The size of a read from the end of a file. */
const BLOCK_BYTES = 1 << 16;

/** A named file or device, opened for appending. */
export class AppendedFile extends FileDestination {
  protected readonly options: FileOptions;
  /** True for a regular file with a name. `-o /dev/fd/3` may be a file without a name, read by a process that holds it open. */
  readonly #isWatched: boolean;
  readonly #timer: NodeJS.Timeout;
  #hasWarned = false;
  /** True while the file may end in half a record: before the first write, and after a failed write. */
  #mayBeTorn = true;
  #isInUse = false;
  /** True if the file is to be reopened once it is not in use. */
  #isStale = false;

  /** @param fd the open file @param path its name, as given */
  constructor(fd: number, path: string, options: FileOptions) {
    super(fd, path, options.noun);
    this.options = options;
    this.#isWatched = this.stats.isFile() && this.stats.nlink > 0;
    this.#timer = setInterval(this.#warnIfRemoved.bind(this), REMOVAL_CHECK_MS).unref();
  }

  override write(packet: Packet): Promise<void> {
    return this.#use(() => this.append(packet));
  }

  /** Writes a packet while the file is in use. */
  protected async append(packet: Packet): Promise<void> {
    await this.endTorn();
    this.#mayBeTorn = true;
    await super.write(packet);
    this.#mayBeTorn = false;
  }

  /** Ends half a record at the end of the file, if there may be half a record. */
  protected async endTorn(): Promise<void> {
    const isEnded = this.#mayBeTorn && (await endHalfRecord(this.fd));
    this.#mayBeTorn = false;
    if (isEnded) this.options.warn(`${escapeText(this.name)}: the file ended in half a record; a line feed was added`);
  }

  override findLastSecond(): Promise<number | undefined> {
    return this.#use(() => findLastSecond(readFromEnd(this.fd, this.options.signal)));
  }

  /** Runs work during which the file is not reopened. @throws what the work throws, system errors as CallError */
  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work();
    } catch (error) {
      throw explainSystemError(error, this.name);
    } finally {
      this.#isInUse = false;
      if (this.#isStale) this.reopen();
    }
  }

  override reopen(): void {
    if (!this.stats.isFile()) return;
    this.#isStale = this.#isInUse;
    if (this.#isStale) return;
    this.#warnIfRemoved();
    try {
      this.openAnew();
    } catch (error) {
      const explained = explainSystemError(error, this.name);
      if (!(explained instanceof CallError)) throw error;
      this.options.warn(`${explained.message} (on SIGHUP; the run goes on in the file that it has open)`);
    }
  }

  /** Switches to the file now at the path, which is created if it does not exist. @throws what `reopenLogFile` throws */
  protected openAnew(): void {
    const before = this.fd;
    this.fd = reopenLogFile(this.name, this.options.usedFiles);
    this.#mayBeTorn = true;
    this.#hasWarned = false;
    closeSync(before);
  }

  override close(error?: unknown): void {
    clearInterval(this.#timer);
    if (error !== undefined) {
      this.#warnIfRemoved();
      return;
    }
    if (this.#isWatched && this.#isRemoved()) {
      const remedy = 'run it again, or send SIGHUP after a removal';
      throw new CallError({ source: this.name }, 'the file was removed during the run', remedy);
    }
    try {
      closeSync(this.fd);
    } catch (failure) {
      // Some file systems (NFS) report failed writes only on closing.
      throw explainSystemError(failure, this.name);
    }
  }

  /** True if the file has lost its last name, so that nobody will read its content. */
  #isRemoved(): boolean {
    return fstatSync(this.fd).nlink === 0;
  }

  #warnIfRemoved(): void {
    if (this.#hasWarned || !this.#isWatched || !this.#isRemoved()) return;
    this.#hasWarned = true;
    const message = 'the file was removed during the run; what is written is lost until SIGHUP creates the file anew';
    this.options.warn(`${escapeText(this.name)}: ${message}`);
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
