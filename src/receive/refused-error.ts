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

/** Refuses a body of Protobuf, the other form of Loki's and OTLP's requests. @param setting the client's setting for JSON @throws RefusedError */
export function refuseProtobuf(type: string, setting: string): void {
  if (type.includes('protobuf')) throw new RefusedError(415, `Protobuf is not supported; have the client send JSON (${setting})`);
}
