import { BrokenJsonError } from '../json-bytes.js';

/** A request that is refused: nothing of it is written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The status of the answer: 400, 413, 415, 429, … */
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

/** Media types of bodies that are neither text nor JSON. */
const BINARY = /msgpack|cbor|octet-stream|protobuf/;

/** True for the media type of Protobuf, by any of its names. */
export function isProtobuf(type: string): boolean {
  return type.includes('protobuf');
}

/** Refuses a body that is neither text nor JSON, which would be stored as broken text. @throws RefusedError */
export function refuseBinary(type: string): void {
  const [name] = BINARY.exec(type) ?? [];
  if (name !== undefined)
    throw new RefusedError(415, `${name} is not supported here; have the client send JSON (Fluent Bit: Format json)`);
}
