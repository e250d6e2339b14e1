import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isObject } from '../arguments.js';
import { RefusedError } from './refused-error.js';

/** A body may have this size, packed and unpacked. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** All bodies that are held, and lines that wait for the output, may have this size together. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024;

const FIRST_BYTES = 4096;
const UNPACKED_BLOCK_BYTES = 1 << 16;

const unpack = promisify(gunzip);

/** The bytes that are held for requests which have not been answered. */
export interface HeldBytes {
  bytes: number;
}

/**
 * Reads the body of a request as it came. What is left of a body that is refused is read and dropped, so that the client gets to read
 * the answer.
 *
 * @returns the body, which stays counted as held; undefined if the client has gone
 * @throws RefusedError for a body that is too large (413), and if too much is held (429)
 */
export async function readBody(request: IncomingMessage, held: HeldBytes): Promise<Buffer | undefined> {
  // One buffer: blocks of a byte each would take hundreds of bytes each.
  let body = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  return new Promise((resolve, reject) => {
    const drop = (): void => {
      request.off('data', onData);
      held.bytes -= length;
      length = 0;
      body = Buffer.alloc(0);
    };
    const refuse = (error: RefusedError): void => {
      drop();
      request.resume();
      reject(error);
    };
    const onData = (block: Buffer): void => {
      if (length + block.length > MAX_BODY_BYTES) {
        refuse(tooLarge());
      } else if (held.bytes + block.length > MAX_HELD_BYTES) {
        refuse(new RefusedError(429, 'the bodies that are waiting take more than 256 MiB; send again later'));
      } else {
        if (length + block.length > body.length) {
          // Pages that are not written to take no memory.
          const larger = Buffer.allocUnsafeSlow(Math.min(2 * (length + block.length), MAX_BODY_BYTES));
          body.copy(larger, 0, 0, length);
          body = larger;
        }
        block.copy(body, length);
        length += block.length;
        held.bytes += block.length;
      }
    };
    request.on('data', onData);
    request.once('end', () => {
      resolve(body.subarray(0, length));
    });
    request.once('close', () => {
      if (request.complete) return;
      drop();
      resolve(undefined);
    });
    request.on('error', () => undefined);
    if (Number(request.headers['content-length']) > MAX_BODY_BYTES) refuse(tooLarge());
  });
}

/**
 * Undoes gzip.
 *
 * @param encoding the header `Content-Encoding`
 * @throws RefusedError for broken gzip (400), a body that is too large once it is unpacked (413), and another encoding (415)
 */
export async function unpackBody(body: Buffer, encoding = ''): Promise<Buffer> {
  if (/^\s*(?:identity\s*)?$/i.test(encoding)) return body;
  if (!/^\s*(?:x-)?gzip\s*$/i.test(encoding))
    throw new RefusedError(415, 'this Content-Encoding is not supported; send gzip, or none');
  try {
    return await unpack(body, { maxOutputLength: MAX_BODY_BYTES, chunkSize: UNPACKED_BLOCK_BYTES });
  } catch (error) {
    const isTooLarge = isObject(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge() : new RefusedError(400, 'the gzip of the body is broken, or ends early');
  }
}

function tooLarge(): RefusedError {
  return new RefusedError(413, 'a body may have 64 MiB at most, unpacked; send fewer events at a time');
}
