import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isObject } from '../arguments.js';
import { BrokenJsonError } from '../log/json-bytes.js';

export const MIB = 1 << 20;
export const MAX_BODY_BYTES = 64 * MIB;

/** All that is held for requests may have this size together: bodies, lines that wait for the output, answers that wait for their clients. */
export const MAX_HELD_BYTES = 256 * MIB;

const FIRST_BYTES = 4096;
const UNPACKED_BLOCK_BYTES = 1 << 16;

const unpack = promisify(gunzip);

/** A request that is refused: nothing of it is written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  /** @param message ASCII, goes into the answer; quotes nothing of the request but short names */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The refusal behind an error: that of broken JSON is 400. @throws any other error */
export function refusedBy(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  if (error instanceof BrokenJsonError) return new RefusedError(400, error.message);
  throw error;
}

/** The refusal of a body that a library cannot read, unless that has been refused already. */
export function refuseBroken(error: unknown, form: string): RefusedError {
  return error instanceof RefusedError ? error : new RefusedError(400, `the ${form} of the body is broken, or ends early`);
}

export interface HeldBytes {
  bytes: number;
}

/** Reads the body of a request, which stays counted as held. @returns undefined if the client has gone @throws RefusedError (413, 429) */
export async function readBody(request: IncomingMessage, held: HeldBytes): Promise<Buffer | undefined> {
  // One buffer: blocks of a byte each would take hundreds of bytes each.
  let body = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  try {
    if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge();
    const blocks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    for await (const block of blocks) {
      const end = length + block.length;
      if (end > MAX_BODY_BYTES) throw tooLarge();
      if (held.bytes + block.length > MAX_HELD_BYTES) {
        const most = String(MAX_HELD_BYTES / MIB);
        throw new RefusedError(429, `the bodies that are waiting take more than ${most} MiB; send again later`);
      }
      if (end > body.length) {
        // Pages that are not written to take no memory.
        const larger = Buffer.allocUnsafeSlow(Math.min(2 * end, MAX_BODY_BYTES));
        body.copy(larger, 0, 0, length);
        body = larger;
      }
      block.copy(body, length);
      length = end;
      held.bytes += block.length;
    }
    return body.subarray(0, length);
  } catch (error) {
    held.bytes -= length;
    if (error instanceof RefusedError) throw error;
    return undefined;
  }
}

/** Undoes gzip, and Snappy's block format. @param encoding in lower case @throws RefusedError (400, 413, 415) */
export async function unpackBody(body: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === '' || encoding === 'identity') return body;
  if (encoding === 'snappy') return unpackSnappy(body);
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new RefusedError(415, 'this Content-Encoding is not supported; send gzip, or none');
  try {
    return await unpack(body, { maxOutputLength: MAX_BODY_BYTES, chunkSize: UNPACKED_BLOCK_BYTES });
  } catch (error) {
    const isTooLarge = isObject(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge() : refuseBroken(error, 'gzip');
  }
}

/** Undoes Snappy's block format. The library is loaded once such a body comes. @throws RefusedError as `unpackBody` */
export async function unpackSnappy(body: Buffer): Promise<Buffer> {
  const [{ BinaryReader }, { snappyUncompress }] = await Promise.all([import('@bufbuild/protobuf/wire'), import('hysnappy')]);
  try {
    // The length of the unpacked bytes comes first, written as Protobuf writes a number.
    const length = new BinaryReader(body).uint32();
    if (length > MAX_BODY_BYTES) throw tooLarge();
    const bytes = snappyUncompress(body, length);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch (error) {
    throw refuseBroken(error, 'Snappy block');
  }
}

function tooLarge(): RefusedError {
  const most = String(MAX_BODY_BYTES / MIB);
  return new RefusedError(413, `a body may have ${most} MiB at most, unpacked; send fewer events at a time`);
}
