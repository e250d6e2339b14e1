import { cutLines } from '../lines.js';
import { parseRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { DeprecationInstants } from './deprecation-instants.js';

/**
 * Finds the Unix second of the first record of a log whose time can be read: of a deprecation record the first instant that its local
 * time can mean.
 *
 * @param chunks the bytes of the log, cut anywhere
 * @returns undefined for a log without such a record
 */
export async function findFirstSecond(chunks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  const instants = new DeprecationInstants();
  // Of a line that is too long there are no bytes.
  for await (const { bytes } of cutLines(chunks, { maxLineBytes: MAX_RECORD_BYTES })) {
    for (const line of linesOf(bytes)) {
      const record = parseRecord(line);
      const second = record?.kind === 'load_failure' ? record.second : record && instants.secondsOf(record)[0];
      if (second !== undefined) return second;
    }
  }
  return undefined;
}

function* linesOf(block: Buffer): Generator<string> {
  for (let from = 0; from < block.length;) {
    const lf = block.indexOf('\n', from);
    const end = lf === -1 ? block.length : lf;
    yield block.toString('latin1', from, end);
    from = end + 1;
  }
}

/**
 * Sorts files by their first seconds, stably. A file without one keeps its place in the order given, between whatever files.
 *
 * @param firstSecondOf gives undefined for a file without a time
 */
export function sortByFirstSecond<T>(files: readonly T[], firstSecondOf: (file: T) => number | undefined): readonly T[] {
  const timed = files
    .flatMap((file) => {
      const second = firstSecondOf(file);
      return second === undefined ? [] : [{ file, second }];
    })
    .sort((file, other) => file.second - other.second)
    .values();
  return files.map((file) => (firstSecondOf(file) === undefined ? file : (timed.next().value?.file ?? file)));
}
