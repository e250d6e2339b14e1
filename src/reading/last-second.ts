import { LF } from '../log/byte-string.js';
import { parseRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';

/**
 * Finds the Unix second of the last load-failure record of a log that is read from its end.
 *
 * @param blocks the bytes of the log, cut anywhere, the last block first; each block is valid until the next one is requested
 * @returns undefined for a log without such a record
 */
export async function findLastSecond(blocks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  /** The end of a line that begins in an earlier block; undefined if the line is too long to be a record. */
  let lineEnd: Buffer | undefined = Buffer.alloc(0);
  for await (const block of blocks) {
    const bytes: Buffer = Buffer.concat([block, lineEnd ?? Buffer.alloc(0)]);
    const firstLf = bytes.indexOf(LF);
    if (firstLf !== -1) {
      const second = lastSecondOf(bytes.toString('latin1', firstLf + 1));
      if (second !== undefined) return second;
      lineEnd = Buffer.from(bytes.subarray(0, firstLf));
    } else if (lineEnd !== undefined) {
      lineEnd = bytes.length > MAX_RECORD_BYTES ? undefined : bytes;
    }
  }
  return lineEnd && lastSecondOf(lineEnd.toString('latin1'));
}

/** @param text lines of a log, a byte string */
function lastSecondOf(text: string): number | undefined {
  for (const line of text.split('\n').toReversed()) {
    const record = line.length > MAX_RECORD_BYTES ? undefined : parseRecord(line);
    if (record?.kind === 'load_failure') return record.second;
  }
  return undefined;
}
