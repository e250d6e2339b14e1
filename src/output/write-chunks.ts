import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import type { Chunk } from './chunk.js';
import type { Output } from './output.js';

/** Writes to a file never wait by themselves: after so many chunks (1 MiB) signal handlers get their turn. */
const CHUNKS_PER_TURN = 16;

/**
 * Writes chunks until there are no more. While one is written the next is asked for, so that a chunk must be good until
 * the next but one is.
 *
 * @param signal ends the writing, after the chunk at hand
 * @throws StoppedError whatever ended it early, with what stands in the output; `chunks` may be left waiting for its source then
 */
export async function writeChunks(chunks: AsyncIterable<Chunk>, output: Output, signal: AbortSignal): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let writing = Promise.resolve();
  try {
    for (let count = 1; ; count += 1) {
      const filling = iterator.next();
      // Whatever goes wrong with it is thrown below, unless the write fails first.
      filling.catch(() => undefined);
      await writing;
      const filled = await filling;
      if (filled.done === true) return;
      writing = output.write(filled.value);
      writing.catch(() => undefined);
      if (count % CHUNKS_PER_TURN === 0) await setImmediate();
      if (signal.aborted) {
        await writing;
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    throw new StoppedError(error, output.written, output.lastLine, output.noun);
  }
}
