import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isObject } from '../arguments.js';
import { RefusedError } from './refused-error.js';

/** A body may have this size, packed and unpacked. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** All bodies that are held, and lines that wait for the output, may have this size together. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024;

const FIRST_BLOCK_BYTES = 4096;
const MAX_BLOCK_BYTES = 1 << 20;
const UNPACKED_CHUNK_BYTES = 1 << 16;

const unpack = promisify(gunzip);

/** Counts the bytes that are held for requests which have not been answered. */
export class HeldBytes {
  #held = 0;

  /** Holds more bytes. @returns false if they would be too many; they are not held then */
  take(bytes: number): boolean {
    if (this.#held + bytes > MAX_HELD_BYTES) return false;
    this.#held += bytes;
    return true;
  }

  /** Holds more bytes, however many are held. */
  add(bytes: number): void {
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * Reads the body of a request as it came. What is left of a body that is refused is read and dropped, so that the client gets to read
 * the answer.
 *
 * @returns the body, which stays counted as held; undefined if the client has gone
 * @throws RefusedError for a body that is too large (413), and if too much is held (429)
 */
export async function readBody(request: IncomingMessage, held: HeldBytes): Promise<Body | undefined> {
  const announced = Number(request.headers['content-length'] ?? NaN);
  if (announced > MAX_BODY_BYTES) {
    request.resume();
    throw tooLarge();
  }
  const body = new Body(announced);
  return new Promise((resolve, reject) => {
    const drop = (): void => {
      request.off('data', onData);
      held.release(body.length);
      body.clear();
    };
    const refuse = (error: RefusedError): void => {
      drop();
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length > MAX_BODY_BYTES) refuse(tooLarge());
      else if (!held.take(chunk.length)) refuse(tooMuchHeld());
      else body.add(chunk);
    };
    request.on('data', onData);
    request.once('end', () => {
      resolve(body);
    });
    request.once('close', () => {
      if (request.complete) return;
      drop();
      resolve(undefined);
    });
    request.on('error', () => undefined);
  });
}

/** Undoes gzip. @throws RefusedError for broken gzip (400), and for a body that is too large once it is unpacked (413) */
export async function unpackBody(packed: Buffer): Promise<Buffer> {
  try {
    return await unpack(packed, { maxOutputLength: MAX_BODY_BYTES, chunkSize: UNPACKED_CHUNK_BYTES });
  } catch (error) {
    const isTooLarge = isObject(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge() : new RefusedError(400, 'the gzip of the body is broken, or ends early');
  }
}

function tooLarge(): RefusedError {
  return new RefusedError(413, 'a body may have 64 MiB at most, unpacked; send fewer events at a time');
}

function tooMuchHeld(): RefusedError {
  return new RefusedError(429, 'the bodies that are waiting take more than 256 MiB; send again later');
}

/**
 * The bytes of a body, copied together as they arrive: chunks of a byte each would take hundreds of bytes each. Blocks grow with the
 * body; a small body of a known length has one of exactly that length.
 */
export class Body {
  length = 0;
  readonly #firstBytes: number;
  #blocks: Buffer[] = [];
  #free = 0;

  /** @param announced the length of the body in bytes; NaN if it is not known */
  constructor(announced: number) {
    this.#firstBytes = announced > 0 && announced <= MAX_BLOCK_BYTES ? announced : FIRST_BLOCK_BYTES;
  }

  add(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      if (this.#free === 0) {
        const bytes = this.#blocks.length === 0 ? this.#firstBytes : Math.min(MAX_BLOCK_BYTES, this.length);
        this.#blocks.push(Buffer.allocUnsafeSlow(bytes));
        this.#free = bytes;
      }
      const block = this.#blocks.at(-1) ?? Buffer.alloc(0);
      const copied = chunk.copy(block, block.length - this.#free, from);
      this.#free -= copied;
      this.length += copied;
      from += copied;
    }
  }

  /** Takes the bytes out, in one buffer: a second copy of a large body, so it is made when the body is read. */
  take(): Buffer {
    const [first = Buffer.alloc(0)] = this.#blocks;
    const all = this.#blocks.length <= 1 ? first.subarray(0, this.length) : Buffer.concat(this.#blocks, this.length);
    this.#blocks = [];
    return all;
  }

  clear(): void {
    this.#blocks = [];
    this.#free = 0;
    this.length = 0;
  }
}
