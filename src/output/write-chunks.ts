import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import type { GroupChunk } from './group-chunk.js';
import type { Output } from './output.js';

/** Writes to a file never wait by themselves: after so many chunks (1 MiB) signal handlers get their turn. */
const CHUNKS_PER_TURN = 16;

/**
 * Writes chunks of groups until there are no more.
 *
 * @param signal ends the writing, after the chunk at hand
 * @throws StoppedError whatever ended it early, with what stands in the output
 */
export async function writeChunks(chunks: AsyncIterable<GroupChunk>, output: Output, signal: AbortSignal): Promise<void> {
  let count = 0;
  try {
    for await (const chunk of chunks) {
      await output.write(chunk);
      count += 1;
      if (count % CHUNKS_PER_TURN === 0) await setImmediate();
      signal.throwIfAborted();
    }
  } catch (error) {
    throw new StoppedError(error, output.groups, output.lastLine);
  }
}
