import { copyBytes, isFieldText, LF } from '../log/byte-string.js';
import type { LogRequest } from '../log/group.js';

/** A method and a target that a record can show. */
type Descriptor = Pick<LogRequest, 'method' | 'target'>;

/** The size of the cache, in descriptors, and the longest text that is cached. */
const SLOTS = 4096;
const MAX_CACHED_BYTES = 256;

const CLOSING = 0x29;

/** A descriptor, and the bytes that it is read from. */
interface Cached extends Descriptor {
  /** Up to the parenthesis behind the descriptor. */
  readonly bytes: Uint8Array;
}

/**
 * Reads the descriptors that end load-failure records (2.1), through a direct-mapped cache: most logs repeat a few descriptors. The
 * first one of a slot stays there. Bytes are compared in place, without making a string of them.
 */
export class DescriptorReader {
  readonly #cached = new Array<Cached | undefined>(SLOTS).fill(undefined);

  /**
   * Reads the descriptor from an index of a block on, up to the parenthesis and the LF that end the record.
   *
   * @returns undefined for other bytes, and for a descriptor that cannot be rendered
   */
  read(block: Buffer, at: number): Descriptor | undefined {
    const limit = at + MAX_CACHED_BYTES;
    let hash = 0;
    let end = at;
    for (let byte = block[end]; byte !== undefined && byte !== LF && end < limit; byte = block[end]) {
      hash = (Math.imul(hash, 31) + byte) | 0;
      end += 1;
    }
    if (block[end] !== LF) return readDescriptor(block, at, block.indexOf(LF, end));
    const slot = hash & (SLOTS - 1);
    const cached = this.#cached[slot];
    if (cached !== undefined && standsAt(cached.bytes, block, at, end)) return cached;
    const descriptor = readDescriptor(block, at, end);
    // A view of the block would keep all of it in memory.
    if (descriptor !== undefined && cached === undefined) {
      this.#cached[slot] = { ...descriptor, bytes: Uint8Array.prototype.slice.call(block, at, end) };
    }
    return descriptor;
  }
}

function standsAt(bytes: Uint8Array, block: Buffer, at: number, end: number): boolean {
  if (bytes.length !== end - at) return false;
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] !== block[at + index]) return false;
  return true;
}

/** @param end the index of the LF; -1 if there is none */
function readDescriptor(block: Buffer, at: number, end: number): Descriptor | undefined {
  if (block[end - 1] !== CLOSING) return undefined;
  const text = block.toString('latin1', at, end - 1);
  const space = text.indexOf(' ');
  const method = text.slice(0, Math.max(space, 0));
  const target = text.slice(space + 1);
  if (method === '' || target === '' || !isFieldText(method) || !isFieldText(target)) return undefined;
  return { method: copyBytes(method), target: copyBytes(target) };
}
