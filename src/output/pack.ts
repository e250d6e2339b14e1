import { Chunk } from './chunk.js';
import type { PieceBatches } from './piece.js';

/**
 * Packs pieces into chunks of whole pieces of at most 65,536 bytes; a larger piece is a chunk of its own. Two chunks are filled in
 * turn, so that one can be written while the next is filled: a chunk is good until the next but one is asked for.
 *
 * A chunk that is not full is given when nothing more is waiting, at the end, and before an error of the source is passed on:
 * no piece that has come stays behind. A source that fails before its first batch gives nothing, no head either.
 *
 * @param hasMore true while more pieces will come without a wait
 * @param head what comes before the first piece, also where there is none
 */
export async function* pack(
  batches: PieceBatches,
  hasMore: () => boolean,
  head: Uint8Array = new Uint8Array(),
): AsyncGenerator<Chunk> {
  let chunk = new Chunk();
  chunk.begin(head);
  let spare = new Chunk();
  let hasBegun = false;
  const swap = (): Chunk => {
    [chunk, spare] = [spare, chunk];
    return spare;
  };
  try {
    for await (const batch of batches) {
      hasBegun = true;
      for (const piece of batch) {
        if (!chunk.fits(piece.bytes.length)) {
          yield swap();
          // Not before: until the chunk just given was taken, this one was being written.
          chunk.clear();
        }
        chunk.add(piece);
      }
      if (!hasMore() && !chunk.isEmpty) {
        yield swap();
        chunk.clear();
      }
    }
  } catch (error) {
    if (hasBegun && !chunk.isEmpty) yield chunk;
    throw error;
  }
  if (!chunk.isEmpty) yield chunk;
}
