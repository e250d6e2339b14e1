import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { explainSystemError, systemErrorCode } from '../errors.js';
import { requireBytes } from '../lines.js';
import { startCheck } from './unpack.js';
import { WholeLines } from './whole-lines.js';

/** Milliseconds between two looks at inputs that are followed. */
export const RESOLUTION_MS = 20;

/** A renamed file is read on until nothing has come to it for so long: its writer may reopen late (`delaycompress`, a slow HUP). */
const SILENCE_AFTER_RENAME_MS = 5000;

const BLOCK_BYTES = 1 << 18;

/** The bytes before the position that are compared at each look: a file that was truncated may have grown past the position. */
const COMPARED_BYTES = 1 << 12;

export interface Growth {
  /** Whole lines, each with its LF; valid until the next look at any input. */
  readonly bytes: Buffer;
  /** The identity of the file that they stand in: files that had one name one after the other differ. */
  readonly file: object;
  /** True for a file that was renamed, once another one has the name: their lines have no order. */
  readonly isOld: boolean;
}

/** An input that is followed. Nothing here ever waits: whoever follows looks again. */
export interface Follower {
  readonly source: string;
  readonly hasAppeared: boolean;
  readonly hasEnded: boolean;
  /** Truncations while the input was followed: what was written between the last look and a truncation was not read. */
  readonly truncations: number;
  /** The next lines that have come, if any. @param nowMs never steps back @throws CallError, DataError for compressed bytes */
  readonly look: (nowMs: number) => Growth | undefined;
  /** The lines whose LF has not come, each with an LF: at the end they are records. */
  readonly rest: () => readonly Growth[];
  readonly close: () => void;
}

/** Follows a path as `tail -F` does: a renamed file is read on beside the new one. */
export class PathFollower implements Follower {
  readonly source: string;
  readonly hasEnded = false;
  /** The files that have had the name, the oldest first. */
  #files: FollowedFile[] = [];
  #truncations = 0;

  /** @param from `end`: what the file holds is passed over @throws CallError if the file cannot be read; not if there is none */
  constructor(path: string, from: 'start' | 'end' = 'start') {
    this.source = path;
    this.#explaining(() => {
      this.#openNamed(0, from);
    });
  }

  get hasAppeared(): boolean {
    return this.#files.length > 0;
  }

  get truncations(): number {
    return this.#files.reduce((sum, { truncations }) => sum + truncations, this.#truncations);
  }

  readonly look = (nowMs: number): Growth | undefined =>
    this.#explaining(() => {
      this.#openNamed(nowMs, 'start');
      for (const [index, file] of this.#files.entries()) {
        const bytes = file.read(nowMs);
        if (bytes !== undefined) return { bytes, file, isOld: index < this.#files.length - 1 };
      }
      const [oldest] = this.#files;
      if (this.#files.length === 1 || oldest === undefined || nowMs - oldest.activeMs < SILENCE_AFTER_RENAME_MS) return undefined;
      this.#files.shift();
      this.#truncations += oldest.truncations;
      oldest.close();
      return restOf(oldest, oldest.rest, true)[0];
    });

  readonly rest = (): readonly Growth[] => this.#files.flatMap((file) => restOf(file, file.rest));

  readonly close = (): void => {
    for (const file of this.#files) file.close();
  };

  #explaining<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw explainSystemError(error, this.source);
    }
  }

  #openNamed(nowMs: number, from: 'start' | 'end'): void {
    const named = statSync(this.source, { throwIfNoEntry: false });
    const last = this.#files.at(-1);
    if (named === undefined || last?.is(named) === true) return;
    // Without O_NONBLOCK, opening a FIFO would block until somebody writes to it.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const file = unless('ENOENT', () => new FollowedFile(openSync(this.source, flags), this.source, from));
    if (file === undefined) return;
    if (last !== undefined) last.activeMs = nowMs;
    this.#files.push(file);
  }
}

/** One for all: thousands of files may be followed. */
const BUFFER = Buffer.allocUnsafe(COMPARED_BYTES + BLOCK_BYTES);

class FollowedFile {
  /** When something came last, or when another file got the name. */
  activeMs = -Infinity;
  truncations = 0;
  readonly #fd: number;
  readonly #stats: Stats;
  readonly #checkStart: ReturnType<typeof startCheck>;
  readonly #lines: WholeLines;
  #position = 0;
  /** True behind a truncation, until a byte comes that is not NUL: a writer that does not append leaves a hole. */
  #isInHole = false;
  #before = Buffer.alloc(0);

  constructor(fd: number, source: string, from: 'start' | 'end') {
    this.#fd = fd;
    this.#stats = fstatSync(fd);
    this.#checkStart = startCheck(source, 'growing');
    const { size } = this.#stats;
    const isPassed = from === 'end' && this.#stats.isFile() && size > 0;
    this.#lines = new WholeLines(isPassed);
    if (!isPassed) return;
    // The first bytes tell a compressed file, the last one whether a line has ended.
    this.#checkStart(BUFFER.subarray(0, readBytes(fd, BUFFER, 0)));
    this.#position = Math.max(0, size - COMPARED_BYTES);
    this.#pass(readBytes(fd, BUFFER.subarray(0, size - 1 - this.#position), this.#position));
  }

  is({ dev, ino }: Stats): boolean {
    return this.#stats.dev === dev && this.#stats.ino === ino;
  }

  read(nowMs: number): Buffer | undefined {
    for (let bytes = this.#readBytes(); bytes !== undefined; bytes = this.#readBytes()) {
      this.activeMs = nowMs;
      const from = this.#isInHole ? bytes.findIndex((byte) => byte !== 0) : 0;
      if (from === -1) continue;
      this.#isInHole = false;
      const lines = this.#lines.take(this.#checkStart(bytes.subarray(from)));
      if (lines !== undefined) return lines;
    }
    return undefined;
  }

  get rest(): Buffer | undefined {
    return this.#lines.rest;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readBytes(): Buffer | undefined {
    const before = this.#before.length;
    const length = readBytes(this.#fd, BUFFER, this.#stats.isFile() ? this.#position - before : null);
    if (length < before || this.#before.compare(BUFFER, 0, before) !== 0) {
      // Truncated, as logrotate's copytruncate does. There is nothing before the position that could differ again.
      this.truncations += 1;
      this.#lines.cut();
      this.#isInHole = true;
      this.#position = 0;
      this.#before = Buffer.alloc(0);
      return this.#readBytes();
    }
    if (length === before) return undefined;
    this.#pass(length);
    return BUFFER.subarray(before, length);
  }

  #pass(length: number): void {
    this.#position += length - this.#before.length;
    if (this.#stats.isFile()) this.#before = Buffer.from(BUFFER.subarray(Math.max(0, length - COMPARED_BYTES), length));
  }
}

/** Gives 0 at the end of a file, and where a FIFO has a writer but no bytes. */
function readBytes(fd: number, buffer: Buffer, position: number | null): number {
  return unless('EAGAIN', () => readSync(fd, buffer, 0, buffer.length, position)) ?? 0;
}

function unless<T>(code: string, act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (systemErrorCode(error) === code) return undefined;
    throw error;
  }
}

export class StreamFollower implements Follower {
  readonly source: string;
  readonly hasAppeared = true;
  readonly truncations = 0;
  readonly #stream: Readable;
  readonly #checkStart: ReturnType<typeof startCheck>;
  readonly #lines = new WholeLines();

  constructor(stream: Readable, source: string) {
    this.source = source;
    this.#stream = stream;
    this.#checkStart = startCheck(source, 'growing');
    // A stream with this listener reads ahead. An error is thrown at the next look.
    stream.on('readable', () => undefined);
    stream.on('error', () => undefined);
  }

  readonly look = (): Growth | undefined => {
    if (this.#stream.errored) throw explainSystemError(this.#stream.errored, this.source);
    for (let block: unknown = this.#stream.read(); block !== null; block = this.#stream.read()) {
      requireBytes(block);
      const bytes = this.#lines.take(this.#checkStart(Buffer.from(block.buffer, block.byteOffset, block.length)));
      if (bytes !== undefined) return { bytes, file: this, isOld: false };
    }
    return undefined;
  };

  readonly rest = (): readonly Growth[] => restOf(this, this.#lines.rest);

  get hasEnded(): boolean {
    return this.#stream.readableEnded;
  }

  readonly close = (): void => {
    this.#stream.destroy();
  };
}

function restOf(file: object, bytes: Buffer | undefined, isOld = false): readonly Growth[] {
  return bytes === undefined ? [] : [{ bytes, file, isOld }];
}
