import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type LogRequest } from '../log/group.js';
import { GroupChunk } from './group-chunk.js';

/** Requests in batches, as `readRequestList` gives them; an array of arrays will do. */
export type RequestBatches = AsyncIterable<readonly LogRequest[]> | Iterable<readonly LogRequest[]>;

/**
 * Renders requests to chunks of whole groups of at most 65,536 bytes; a larger group is a chunk of its own. Two chunks are filled
 * in turn, so that one can be written while the next is filled: a chunk is good until the next but one is asked for.
 *
 * A chunk that is not full is given when nothing more is waiting, at the end, and before an error of the source is passed on:
 * no group whose request has come stays behind.
 *
 * @param hasMore whether more requests will come without a wait
 */
export async function* packGroups(
  batches: RequestBatches,
  deployment: Deployment,
  hasMore: () => boolean,
): AsyncGenerator<GroupChunk> {
  const renderer = new GroupRenderer(deployment);
  let chunk = new GroupChunk();
  let spare = new GroupChunk();
  const swap = (): GroupChunk => {
    [chunk, spare] = [spare, chunk];
    return spare;
  };
  try {
    for await (const batch of batches) {
      for (const request of batch) {
        const group = renderer.render(request);
        if (!chunk.fits(group.length)) {
          yield swap();
          // Not before: until the chunk just given was taken, this one was being written.
          chunk.clear();
        }
        chunk.add(request, group);
      }
      if (!hasMore() && !chunk.isEmpty) {
        yield swap();
        chunk.clear();
      }
    }
  } catch (error) {
    if (!chunk.isEmpty) yield chunk;
    throw error;
  }
  if (!chunk.isEmpty) yield chunk;
}

/**
 * Renders requests to the bytes of the log, in buffers of whole groups (6) of at most 65,536 bytes; a larger group is a buffer of
 * its own. Every buffer ends in LF and is the caller's to keep.
 *
 * @throws RangeError on a request that `formatGroup` would refuse, after the groups before it
 */
export async function* renderGroups(batches: RequestBatches, deployment: Deployment): AsyncGenerator<Buffer> {
  for await (const chunk of packGroups(batches, deployment, () => true)) {
    yield Buffer.from(chunk.bytes);
  }
}
