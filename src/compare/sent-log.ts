import type { ComparedSource } from './compare-options.js';
import type { LineRange } from './lost-lines.js';
import { SentLines } from './sent-lines.js';
import { Spill } from './spill.js';

/** So much is read again at a time: records made of larger pieces outlive the young generation of the heap, and take 60 MB more. */
const REREAD_BYTES = 1 << 15;

/** The expected log: its bytes in one go, and once more at any place. What cannot be read twice is copied to a temporary file. */
export class SentLog {
  readonly lines: SentLines;
  readonly #source: ComparedSource;
  readonly #copy: Spill | undefined;
  /** The length of the first reading: later bytes do not belong to the log, even if the file grows. */
  #length = 0;

  constructor(source: ComparedSource) {
    this.#source = source;
    this.#copy = source.readAt === undefined ? new Spill() : undefined;
    this.lines = new SentLines((buffer, position) => this.#readAt(buffer, position));
  }

  /** The first reading. */
  async *read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source.chunks) {
      this.#copy?.append(viewOf(chunk));
      this.#length += chunk.length;
      yield chunk;
    }
  }

  /** Reads lines once more, from one up to another. */
  async *readAgain({ from, until }: LineRange): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    const end = this.lines.positionOf(until) ?? this.#length;
    for (let position = this.lines.positionOf(from) ?? end; ;) {
      const length = this.#readAt(buffer.subarray(0, end - position), position);
      if (length === 0) return;
      position += length;
      yield await Promise.resolve(buffer.subarray(0, length));
    }
  }

  close(): void {
    this.#copy?.close();
  }

  #readAt(buffer: Uint8Array, position: number): number {
    const wanted = buffer.subarray(0, this.#length - position);
    if (this.#copy === undefined) return this.#source.readAt?.(wanted, position) ?? 0;
    wanted.set(this.#copy.read(position, wanted.length));
    return wanted.length;
  }
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
