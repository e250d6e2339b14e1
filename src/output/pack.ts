import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import { Packet, PIPE_PACKET_BYTES, type PieceBatches } from './piece.js';
import type { Destination } from './destination.js';

/** After this many bytes the event loop runs once, for signal handlers: synchronous writes to files never yield. */
const BYTES_PER_TURN = 1 << 20;

/**
 * Packs pieces into packets of at most `packetBytes` bytes; a larger piece is a packet of its own. A packet is valid until the one after
 * the next is requested. One that is not full is given when no more pieces wait, at the end, and before an error of the source, but not
 * before its first batch. A head, which is not counted, is given even if no piece comes.
 */
export async function* pack(
  batches: PieceBatches,
  hasMore: () => boolean,
  head?: Uint8Array,
  packetBytes = PIPE_PACKET_BYTES,
): AsyncGenerator<Packet> {
  let [packet, spare] = [new Packet(packetBytes), new Packet(packetBytes)];
  if (head !== undefined) packet.add({ bytes: head, count: 0, origin: {} });
  let hasBegun = false;
  const swap = (): Packet => {
    [packet, spare] = [spare, packet];
    return spare;
  };
  try {
    for await (const batch of batches) {
      hasBegun = true;
      for (const piece of batch) {
        if (!packet.fits(piece.bytes.length)) {
          yield swap();
          // Only now: this packet was being written until the other packet was requested.
          packet.clear();
        }
        packet.add(piece);
      }
      if (!hasMore() && packet.pieces > 0) {
        yield swap();
        packet.clear();
      }
    }
  } catch (error) {
    if (hasBegun && packet.pieces > 0) yield packet;
    throw error;
  }
  if (packet.pieces > 0) yield packet;
}

/** Packs pieces into buffers that may be kept. @param fills false to give each batch at once, true to fill the buffers */
export async function* buffersOf(pieces: PieceBatches, fills: boolean): AsyncGenerator<Buffer> {
  for await (const packet of pack(pieces, () => fills)) yield Buffer.from(packet.bytes());
}

export interface WriteOptions {
  /** True while more pieces will come without a wait. Default: never, so that pieces are written at once. */
  readonly hasMore?: () => boolean;
  readonly head?: Uint8Array | undefined;
  /** Called after each write, also a failed one, with the number of groups in the output. */
  readonly afterWrite?: ((written: number) => Promise<void>) | undefined;
}

/** Writes pieces in packets: the next is filled while one is written. @throws StoppedError; `pieces` may then be left suspended */
export async function writePieces(
  pieces: PieceBatches,
  output: Destination,
  signal: AbortSignal,
  { hasMore = () => false, head, afterWrite }: WriteOptions = {},
): Promise<void> {
  const packets = pack(pieces, hasMore, head, output.packetBytes);
  const write = async (packet: Packet): Promise<void> => {
    try {
      await output.write(packet);
    } catch (error) {
      await afterWrite?.(output.written).catch(() => undefined);
      throw error;
    }
    await afterWrite?.(output.written);
  };
  let writing = Promise.resolve();
  try {
    for (let sinceTurn = 0; ;) {
      const filling = packets.next();
      // An error of the source is thrown by the second `await`, unless the write fails first.
      filling.catch(() => undefined);
      await writing;
      const filled = await filling;
      if (filled.done === true) return;
      writing = write(filled.value);
      writing.catch(() => undefined);
      sinceTurn += filled.value.bytes().length;
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
    // Of a report on a log that is written, the log was stopped first.
    if (error instanceof StoppedError) throw error;
    throw new StoppedError(error, output.written, output.last?.line, output.noun, output.last?.source);
  }
}
