import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import type { Chunk } from './chunk.js';
import type { Output } from './output.js';

/** After so many bytes the event loop runs once, for signal handlers: a write to a file does not wait. After each 64 KiB: 6 % more time. */
const BYTES_PER_TURN = 1 << 20;

/**
 * Writes all chunks. The next chunk is requested while the current one is written, so a chunk must be valid until the next but
 * one is requested.
 *
 * @param signal ends the writing after the current chunk
 * @throws StoppedError if anything ends the writing early, with the number of groups that stand; `chunks` may then be left
 *   suspended
 */
export async function writeChunks(chunks: AsyncIterable<Chunk>, output: Output, signal: AbortSignal): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let writing = Promise.resolve();
  try {
    for (let sinceTurn = 0; ;) {
      const filling = iterator.next();
      // An error of the source is thrown below, unless the write fails first.
      filling.catch(() => undefined);
      await writing;
      const filled = await filling;
      if (filled.done === true) return;
      writing = output.write(filled.value);
      writing.catch(() => undefined);
      sinceTurn += filled.value.bytes.length;
      if (sinceTurn >= BYTES_PER_TURN) {
        await setImmediate();
        sinceTurn = 0;
      }
      if (signal.aborted) {
        await writing;
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    throw new StoppedError(error, output.written, output.lastLine, output.noun);
  }
}
