import { Chunk, PIPE_CHUNK_BYTES } from './chunk.js';
import type { PieceBatches } from './piece.js';

/**
 * Packs pieces into chunks of whole pieces of at most `chunkBytes` bytes; a larger piece is a chunk of its own. Two chunks are filled
 * in turn (double buffering): a chunk is valid until the next but one is requested.
 *
 * Every piece that has arrived is given: a chunk that is not full is given when no more pieces are waiting, at the end, and
 * before an error of the source is thrown. If the source fails before its first batch, nothing is given, not even the head.
 *
 * @param hasMore true while more pieces will come without a wait
 * @param head bytes before the first piece, given even if there is no piece
 * @param chunkBytes of the output that the chunks are written to; default 65,536
 * @throws what `batches` throws
 */
export async function* pack(
  batches: PieceBatches,
  hasMore: () => boolean,
  head: Uint8Array = new Uint8Array(),
  chunkBytes: number = PIPE_CHUNK_BYTES,
): AsyncGenerator<Chunk> {
  let chunk = new Chunk(chunkBytes);
  chunk.begin(head);
  let spare = new Chunk(chunkBytes);
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
          // Not earlier: this chunk was being written until the other one was requested.
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
