import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { recordInside } from '../envelope/recognise.js';
import { cutLogLines, recordOn } from '../input/log-lines.js';
import { LF } from '../log/byte-string.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import type { EnvelopeOptions } from './log-files.js';
import { DeprecationInstants } from './deprecation-instants.js';

/** Finds the Unix second of the first record of a log whose time can be read; of a deprecation record the first that it can mean. */
export async function findFirstSecond(
  chunks: AsyncIterable<Uint8Array>,
  envelope?: EnvelopeOptions,
): Promise<number | undefined> {
  const instants = new DeprecationInstants();
  // Of a line that is too long there are no bytes.
  for await (const { bytes } of cutLogLines(chunks, { opener: new EnvelopeOpener(envelope) })) {
    for (const line of bytes.toString('latin1').split('\n')) {
      const record = recordOn(line);
      const second = record?.kind === 'load_failure' ? record.second : record && instants.secondsOf(record)[0];
      if (second !== undefined) return second;
    }
  }
  return undefined;
}

/** Sorts files by their first seconds, stably. A file without one keeps its place in the order given. */
export function sortByFirstSecond<T>(files: readonly T[], firstSecondOf: (file: T) => number | undefined): readonly T[] {
  const timed = files
    .filter((file) => firstSecondOf(file) !== undefined)
    .sort((file, other) => (firstSecondOf(file) ?? 0) - (firstSecondOf(other) ?? 0))
    .values();
  return files.map((file) => (firstSecondOf(file) === undefined ? file : (timed.next().value ?? file)));
}

/** Finds the Unix second of the last load failure of a log. @param blocks its bytes, the last block first, each valid until the next */
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
    } else if (lineEnd !== undefined) lineEnd = bytes.length > MAX_RECORD_BYTES ? undefined : bytes;
  }
  return lineEnd && lastSecondOf(lineEnd.toString('latin1'));
}

function lastSecondOf(text: string): number | undefined {
  for (const line of text.split('\n').toReversed()) {
    const record = recordOn(line) ?? recordInside(line);
    if (record?.kind === 'load_failure') return record.second;
  }
  return undefined;
}
