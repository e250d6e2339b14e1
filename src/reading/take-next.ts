import { LF } from '../log/byte-string.js';
import type { WholeGroup } from './whole-group.js';

/** Reads blocks of whole lines: whole groups at once where that is possible, which is some ten times as fast, and single lines elsewhere. */
export interface BlockReader {
  /** The whole group at an index of a block; undefined where a line is to be read by itself. */
  matchGroup(block: Buffer, at: number): WholeGroup | undefined;
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

/**
 * Has a reader read the group or the line that begins at an index of a block.
 *
 * @returns the index behind it
 */
export function takeNext(reader: BlockReader, block: Buffer, at: number): number {
  const group = reader.matchGroup(block, at);
  if (group !== undefined) {
    reader.addGroup(group, block, at);
    return at + group.byteLength;
  }
  const lf = block.indexOf(LF, at);
  const end = lf === -1 ? block.length : lf;
  reader.addLine(block.toString('latin1', at, end), lf !== -1);
  return end + 1;
}
