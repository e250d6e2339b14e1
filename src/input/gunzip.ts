import { createGunzip } from 'node:zlib';
import { DataError } from '../errors.js';

/** Compressed bytes that are unpacked at a time. 4 KiB of a bomb are 4 MiB unpacked, which is all that waits in memory. */
const PIECE_BYTES = 1 << 12;

/** The most bytes of an unpacked block. */
const UNPACKED_BYTES = 1 << 18;

/** The checksum and the length that end a gzip member. */
const TRAILER_BYTES = 8;

/**
 * Unpacks the bytes of gzip members, one after the other. Zeros behind a member end the bytes: a tape or a disk pads with them. zlib's
 * stream is asked for the result of each write: read as a stream it would drop, with an error, what it has unpacked before.
 *
 * @param packed bytes cut anywhere; all are read
 * @throws DataError if they are broken or end early, after the bytes that could be unpacked
 */
export async function* gunzip(packed: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: UNPACKED_BYTES });
  const unpacked: Uint8Array[] = [];
  let onDone: (error?: Error | null) => unknown = () => undefined;
  stream.on('data', (block: Uint8Array) => unpacked.push(block));
  for (const event of ['error', 'end']) stream.on(event, (error?: Error) => onDone(error));
  try {
    for await (const piece of cutPieces(packed)) {
      // Once zlib takes no more bytes, it would never answer a write.
      if (stream.readableEnded) continue;
      const error = await new Promise<Error | null | undefined>((resolve) => {
        onDone = resolve;
        if (piece === undefined) stream.end();
        else stream.write(piece, resolve);
      });
      // A block can still be in the stream's buffer: reading it makes it an event.
      while (stream.read() !== null);
      yield* unpacked.splice(0);
      if (error) throw explain(error, source);
    }
  } finally {
    stream.destroy();
  }
}

/**
 * Cuts packed bytes into pieces, and gives undefined behind the last one. The last bytes are a piece of their own: a wrong checksum
 * would take with it what is unpacked by the same write.
 */
async function* cutPieces(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let end = Buffer.alloc(0);
  for await (const block of packed) {
    const bytes = Buffer.concat([end, block]);
    const bodyBytes = Math.max(0, bytes.length - TRAILER_BYTES);
    for (let from = 0; from < bodyBytes; from += PIECE_BYTES) yield bytes.subarray(from, Math.min(from + PIECE_BYTES, bodyBytes));
    end = bytes.subarray(bodyBytes);
  }
  yield end;
  yield undefined;
}

function explain(error: Error, source: string): DataError {
  const isCut = 'code' in error && error.code === 'Z_BUF_ERROR';
  const problem = isCut ? 'its gzip ends early' : `its gzip is broken (${error.message})`;
  return new DataError({ source }, problem, 'copy the file again', { cause: error });
}
