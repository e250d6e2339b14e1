import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { explainSystemError, systemErrorCode } from '../errors.js';
import { requireBytes } from '../lines.js';
import { startCheck } from './unpack.js';
import { WholeLines } from './whole-lines.js';

/** Milliseconds between two looks at inputs that are followed. */
export const RESOLUTION_MS = 20;

/** A renamed file is read on until nothing has come to it for so long: its writer may reopen late. */
const SILENCE_AFTER_RENAME_MS = 5000;

const BLOCK_BYTES = 1 << 18;

/** Before the position, compared at each look: a file that was truncated may have grown past the position. */
const COMPARED_BYTES = 1 << 12;

export interface Growth {
  /** Whole lines, each with its LF; valid until the next look at any input. */
  readonly bytes: Buffer;
  readonly file: object;
  /** True once another file has its name: the lines of the two have no order. */
  readonly isOld: boolean;
}

/** An input that is followed: whoever follows looks again and again. */
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

/**
 * Follows a path as `tail -F` does: a renamed file is read on beside the new one. @param from `end`: what the file holds is passed over
 * @throws CallError if the file cannot be read; not if there is none
 */
export function followPath(path: string, from: 'start' | 'end' = 'start'): Follower {
  const files: FollowedFile[] = [];
  let truncationsBefore = 0;
  const explaining = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw explainSystemError(error, path);
    }
  };
  const openNamed = (nowMs: number, isPassed: boolean): void => {
    const named = statSync(path, { throwIfNoEntry: false });
    const last = files.at(-1);
    if (named === undefined || last?.is(named) === true) return;
    // Without O_NONBLOCK, opening a FIFO would block until somebody writes to it.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const file = unless('ENOENT', () => new FollowedFile(openSync(path, flags), path, isPassed));
    if (file === undefined) return;
    if (last !== undefined) last.activeMs = nowMs;
    files.push(file);
  };
  explaining(() => {
    openNamed(0, from === 'end');
  });
  return {
    source: path,
    hasEnded: false,
    get hasAppeared() {
      return files.length > 0;
    },
    get truncations() {
      return files.reduce((sum, { truncations }) => sum + truncations, truncationsBefore);
    },
    look: (nowMs) =>
      explaining(() => {
        openNamed(nowMs, false);
        for (const [index, file] of files.entries()) {
          const bytes = file.read(nowMs);
          if (bytes !== undefined) return { bytes, file, isOld: index < files.length - 1 };
        }
        const [oldest] = files;
        if (files.length === 1 || oldest === undefined || nowMs - oldest.activeMs < SILENCE_AFTER_RENAME_MS) return undefined;
        files.shift();
        truncationsBefore += oldest.truncations;
        oldest.close();
        return restOf(oldest, oldest.rest, true)[0];
      }),
    rest: () => files.flatMap((file) => restOf(file, file.rest)),
    close: () => {
      for (const file of files) file.close();
    },
  };
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

  constructor(fd: number, source: string, passesHeld: boolean) {
    this.#fd = fd;
    this.#stats = fstatSync(fd);
    this.#checkStart = startCheck(source, 'growing');
    const { size } = this.#stats;
    const isPassed = passesHeld && this.#stats.isFile() && size > 0;
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

export function followStream(stream: Readable, source: string): Follower {
  const checkStart = startCheck(source, 'growing');
  const lines = new WholeLines();
  // A stream with this listener reads ahead. An error is thrown at the next look.
  for (const event of ['readable', 'error']) stream.on(event, () => undefined);
  return {
    source,
    hasAppeared: true,
    truncations: 0,
    get hasEnded() {
      return stream.readableEnded;
    },
    look: () => {
      if (stream.errored) throw explainSystemError(stream.errored, source);
      for (let block: unknown = stream.read(); block !== null; block = stream.read()) {
        requireBytes(block);
        const bytes = lines.take(checkStart(Buffer.from(block.buffer, block.byteOffset, block.length)));
        if (bytes !== undefined) return { bytes, file: stream, isOld: false };
      }
      return undefined;
    },
    rest: () => restOf(stream, lines.rest),
    close: () => {
      stream.destroy();
    },
  };
}

function restOf(file: object, bytes: Buffer | undefined, isOld = false): readonly Growth[] {
  return bytes === undefined ? [] : [{ bytes, file, isOld }];
}
