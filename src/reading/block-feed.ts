import { LF } from '../log/byte-string.js';
import type { CutGroup, WholeGroup } from './whole-group.js';

/** Reads blocks of whole lines: whole groups at once where that is possible, which is some ten times as fast, and single lines elsewhere. */
export interface BlockReader {
  /** The whole group at an index of a block, or the beginning of one that the block cuts; undefined where a line is to be read by itself. */
  matchGroup(block: Buffer, at: number): WholeGroup | CutGroup | undefined;
  /** Reads the group that `matchGroup` gave. */
  addGroup(group: WholeGroup, block: Buffer, at: number): void;
  /**
   * Reads a line.
   *
   * @param text a byte string without the LF
   * @param hasLf false for the last line of a log that does not end in LF
   */
  addLine(text: string, hasLf: boolean): void;
}

/** The beginning of a group waits for its end up to this length; a longer one is read by its lines. */
const MAX_REST_BYTES = 1 << 16;

const NOTHING = Buffer.alloc(0);

/** Has a reader read blocks. A group that two blocks share is put together: to read it by its lines takes as much time as ten others. */
export class BlockFeed {
  readonly #reader: BlockReader;
  /** A copy of the lines at the end of the blocks so far that begin a group. */
  #rest: Buffer = NOTHING;
  /** The number of bytes that `#rest` is missing. */
  #missing = 0;

  constructor(reader: BlockReader) {
    this.#reader = reader;
  }

  /**
   * Reads the group that began in the blocks before.
   *
   * @param block the next block
   * @returns the index at which the block goes on
   */
  begin(block: Buffer): number {
    const rest = this.#rest;
    if (rest.length === 0 || block.length === 0) return 0;
    this.#rest = NOTHING;
    const joined = Buffer.concat([rest, block.subarray(0, this.#missing)]);
    const group = this.#reader.matchGroup(joined, 0);
    if (group?.isCut === false) {
      this.#reader.addGroup(group, joined, 0);
      return this.#missing;
    }
    if (group !== undefined && this.#keep(group, joined)) return block.length;
    this.#readLines(rest);
    return 0;
  }

  /** Reads the group or the line that begins at an index of a block. @returns the index behind it */
  next(block: Buffer, at: number): number {
    const group = this.#reader.matchGroup(block, at);
    if (group?.isCut === false) {
      this.#reader.addGroup(group, block, at);
      return at + group.byteLength;
    }
    if (group !== undefined && this.#keep(group, block.subarray(at))) return block.length;
    return this.#readLine(block, at);
  }

  /** Reads the lines that begin a group: its end does not come, or not yet. */
  end(): void {
    const rest = this.#rest;
    this.#rest = NOTHING;
    this.#readLines(rest);
  }

  /** Keeps a copy of whole lines that begin a group. */
  #keep({ byteLength }: CutGroup, lines: Buffer): boolean {
    if (lines.length > MAX_REST_BYTES || lines.at(-1) !== LF) return false;
    this.#rest = Buffer.from(lines);
    this.#missing = byteLength - lines.length;
    return true;
  }

  #readLines(lines: Buffer): void {
    for (let at = 0; at < lines.length;) at = this.#readLine(lines, at);
  }

  #readLine(block: Buffer, at: number): number {
    const lf = block.indexOf(LF, at);
    const end = lf === -1 ? block.length : lf;
    this.#reader.addLine(block.toString('latin1', at, end), lf !== -1);
    return end + 1;
  }
}
