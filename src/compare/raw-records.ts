import { LF } from '../log/byte-string.js';
import { cutLines } from '../lines.js';
import { parseRecord, type LogRecord } from '../log/line.js';
import type { RecordBlock, RecordMark } from './record-block.js';

/** A longer line is not kept: memory stays bounded whatever comes. No record of this log is a tenth of that (JSON may escape it). */
const MAX_LINE_BYTES = 16 << 20;

/** So much of a line that is too long is shown. */
const SHOWN_BYTES = 4096;

const LF_BYTES = Buffer.from('\n');

/** Some lines of an input, each with its LF; what stands after the last LF has one too. */
export interface LineBlock {
  readonly bytes: Buffer;
  /** The block is a single line that is too long, and holds only its beginning. */
  readonly isOverlong: boolean;
  /** The place of the bytes in the input; undefined behind a line that is too long. */
  readonly position: number | undefined;
}

/** @param blockBytes blocks are about so long, at most 16 MiB. Default: as long as the chunks, or that. */
export async function* readLineBlocks(chunks: AsyncIterable<Uint8Array>, blockBytes = MAX_LINE_BYTES): AsyncGenerator<LineBlock> {
  let position: number | undefined = 0;
  for await (const { bytes, overlong } of cutLines(chunks, {
    maxLineBytes: MAX_LINE_BYTES,
    shownBytes: SHOWN_BYTES,
    blockBytes,
  })) {
    if (bytes.length === 0) continue;
    const hasLf = bytes[bytes.length - 1] === LF;
    yield { bytes: hasLf ? bytes : Buffer.concat([bytes, LF_BYTES]), isOverlong: overlong, position };
    position = overlong || position === undefined ? undefined : position + bytes.length;
  }
}

/** The mark of a line that is too long: the line equals no other. */
export function overlongMark({ bytes }: LineBlock): RecordMark {
  return { end: bytes.length - 1, fault: 'longer than 16 MiB', text: bytes.toString('latin1', 0, bytes.length - 1) };
}

/**
 * The lines of a log as records, each as it is.
 *
 * @param positionOf where in all inputs of that side a place of this one is, if that can be read once more
 */
export async function* readRawRecords(
  blocks: AsyncIterable<LineBlock>,
  positionOf?: (position: number) => number,
): AsyncGenerator<RecordBlock> {
  for await (const block of blocks) {
    const { bytes, position } = block;
    if (block.isOverlong) yield { bytes, marks: [overlongMark(block)] };
    else yield { bytes, position: position === undefined ? undefined : positionOf?.(position) };
  }
}

/**
 * The lines of a log that are records of one kind.
 *
 * @param onPassedOver called with the number of other lines in each block
 */
export async function* readRecordsOfKind(
  blocks: AsyncIterable<LineBlock>,
  kind: LogRecord['kind'],
  onPassedOver: (lines: number) => void,
): AsyncGenerator<RecordBlock> {
  let line = 1;
  for await (const { bytes, isOverlong } of blocks) {
    const marks: RecordMark[] = [];
    const kept: Buffer[] = [];
    const before = line;
    let length = 0;
    for (let start = 0; start < bytes.length; line += 1) {
      const end = bytes.indexOf(LF, start) + 1;
      if (!isOverlong && parseRecord(bytes.toString('latin1', start, end - 1))?.kind === kind) {
        kept.push(bytes.subarray(start, end));
        length += end - start;
        marks.push({ end: length - 1, line });
      }
      start = end;
    }
    onPassedOver(line - before - marks.length);
    if (marks.length > 0) yield { bytes: Buffer.concat(kept), marks };
  }
}

/** The number of lines in a block. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}
