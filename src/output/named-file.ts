import { closeSync, fstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { CallError, explainSystemError } from '../errors.js';
import { findLastSecond } from '../reading/log-ends.js';
import { escapeText } from '../wording.js';
import type { Sink } from './destination.js';
import { FileSink } from './file-sink.js';
import { endHalfRecord, isSameFile, readAt, reopenLogFile, type UsedFile } from './log-file.js';
import { moveToFirst, type Rotation } from './rotation.js';

export interface FileOptions {
  readonly usedFiles: readonly UsedFile[];
  readonly noun: string;
  readonly signal: AbortSignal;
  /** Takes a line about half a record that was ended, or a file that cannot be reopened or was removed. */
  readonly warn: (message: string) => void;
  /** True to reopen a path that names another file or none, as a program does that opens its log for each record. */
  readonly followsPath?: boolean | undefined;
  readonly rotation?: Rotation | undefined;
}

const CHECK_MS = 1000;
const BLOCK_BYTES = 1 << 16;
const REMOVED = 'the file was removed during the run';

type Cause = 'on SIGHUP' | 'found by a look at its path';

export class NamedFile extends FileSink {
  readonly makeRoom: Sink['makeRoom'];
  readonly #options: FileOptions;
  /** False for a file without a name, such as `-o /dev/fd/3`, which is read by a process that holds it open. */
  readonly #isWatched: boolean;
  readonly #timer: NodeJS.Timeout;
  #warned = '';
  /** True before the first write, and after one that failed. */
  #mayBeTorn = true;
  #isInUse = false;
  #awaited: Cause | undefined;
  #nextRotationMs = Infinity;

  constructor(fd: number, path: string, options: FileOptions) {
    super(fd, path);
    this.#options = options;
    this.#isWatched = this.stats.isFile() && this.stats.nlink > 0;
    this.#timer = setInterval(this.#checkPath.bind(this), CHECK_MS).unref();
    const { rotation } = options;
    if (rotation === undefined) return;
    this.makeRoom = (pieceBytes) => this.#use(() => this.#rotateFor(pieceBytes, rotation));
    this.#nextRotationMs = rotation.now() + rotation.everyMs;
  }

  override write(bytes: Uint8Array): Promise<void> {
    this.taken = 0;
    return this.#use(async () => {
      await this.#endTorn();
      this.#mayBeTorn = true;
      await super.write(bytes);
      this.#mayBeTorn = false;
    });
  }

  /** Rotates a file that is not empty when it is time, or a piece does not fit. @returns the number of bytes that fit */
  async #rotateFor(pieceBytes: number, rotation: Rotation): Promise<number> {
    const { maxBytes, everyMs, now, method } = rotation;
    const lateMs = now() - this.#nextRotationMs;
    if (lateMs >= 0) this.#nextRotationMs += everyMs * (Math.floor(lateMs / everyMs) + 1);
    await this.#endTorn();
    const { size } = fstatSync(this.fd);
    if (size === 0 || (lateMs < 0 && pieceBytes <= maxBytes - size)) return maxBytes - size;
    // Another program may have rotated the file, with its SIGHUP still to come.
    const isOwn = isSameFile(this.fd, this.name);
    if (isOwn) await moveToFirst(this.name, this.fd, rotation, this.#options.usedFiles);
    if (!isOwn || method === 'rename') this.#openAnew();
    await this.#endTorn();
    return maxBytes - fstatSync(this.fd).size;
  }

  async #endTorn(): Promise<void> {
    const isEnded = this.#mayBeTorn && (await endHalfRecord(this.fd));
    this.#mayBeTorn = false;
    if (isEnded) this.#options.warn(`${escapeText(this.name)}: the file ended in half a record; a line feed was added`);
  }

  findLastSecond(): Promise<number | undefined> {
    return this.#use(() => findLastSecond(readFromEnd(this.fd, this.#options.signal)));
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work();
    } catch (error) {
      throw explainSystemError(error, this.name);
    } finally {
      this.#isInUse = false;
      if (this.#awaited !== undefined) this.#reopenWhenIdle(this.#awaited);
    }
  }

  reopen(): void {
    if (this.stats.isFile()) this.#reopenWhenIdle('on SIGHUP');
  }

  #checkPath(): void {
    if (this.#options.followsPath !== true) this.#warnIfRemoved();
    else if (this.#isWatched) this.#reopenWhenIdle('found by a look at its path');
  }

  #reopenWhenIdle(cause: Cause): void {
    this.#awaited ??= cause;
    if (this.#isInUse) return;
    this.#awaited = undefined;
    try {
      if (cause === 'found by a look at its path' && isSameFile(this.fd, this.name)) return;
      this.#warnIfRemoved();
      this.#openAnew();
    } catch (error) {
      const explained = explainSystemError(error, this.name);
      if (!(explained instanceof CallError)) throw error;
      this.#warnOnce(`${explained.message} (${cause}; the run goes on in the file that it has open)`);
    }
  }

  #openAnew(): void {
    const before = this.fd;
    this.fd = reopenLogFile(this.name, this.#options.usedFiles);
    this.#mayBeTorn = true;
    this.#warned = '';
    closeSync(before);
  }

  close(error?: unknown): void {
    clearInterval(this.#timer);
    try {
      if (error !== undefined) this.#warnIfRemoved();
      else if (this.#isRemoved)
        throw new CallError({ source: this.name }, REMOVED, 'run it again, or send SIGHUP after a removal');
      else closeSync(this.fd);
    } catch (failure) {
      // Some file systems (NFS) report failed writes only on closing.
      throw explainSystemError(failure, this.name);
    }
  }

  /** True if the file has lost its last name: nobody will read its content. */
  get #isRemoved(): boolean {
    return this.#isWatched && fstatSync(this.fd).nlink === 0;
  }

  #warnIfRemoved(): void {
    // A path that is followed is opened anew before much is lost.
    if (this.#options.followsPath === true || !this.#isRemoved) return;
    this.#warnOnce(`${escapeText(this.name)}: ${REMOVED}; what is written is lost until SIGHUP creates the file anew`);
  }

  #warnOnce(message: string): void {
    if (this.#warned !== message) this.#options.warn(message);
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
