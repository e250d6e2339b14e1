import { Output, type FileOutput } from './output.js';
import type { RotationMoments } from './rotation.js';
import { partOf, type WholePieces } from './whole-pieces.js';

/** Writes to a file, and has it rotated between two pieces. An empty file is not rotated. */
export class RotatingOutput extends Output {
  override readonly mayRecover = true;
  readonly #file: FileOutput;
  readonly #maxBytes: number;
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #rotate: () => Promise<void>;
  #nextMs: number;

  /** @param rotate moves the content of the file away, so that the file is empty */
  constructor(
    file: FileOutput,
    { maxBytes, everyMs, now = () => performance.now() }: RotationMoments,
    rotate: () => Promise<void>,
  ) {
    super(file.noun);
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#everyMs = everyMs;
    this.#now = now;
    this.#rotate = rotate;
    this.#nextMs = now() + everyMs;
  }

  override async write(pieces: WholePieces): Promise<void> {
    const { length } = pieces.bytes;
    try {
      for (let from = 0, until = 0; from < length; from = until) {
        until = await this.#makeRoom(pieces, from);
        await this.#file.write(partOf(pieces, from, until));
      }
    } finally {
      this.written = this.#file.written;
      this.lastLine = this.#file.lastLine;
    }
  }

  /** Rotates the file if it is time, or if the file has no room for the next piece. @returns the end of the pieces that have room */
  async #makeRoom(pieces: WholePieces, from: number): Promise<number> {
    const isTime = this.#isTime();
    let size = await this.#file.size();
    if (size > 0 && (isTime || pieces.endAfter(from) - from > this.#maxBytes - size)) {
      await this.#rotate();
      size = await this.#file.size();
    }
    return Math.max(pieces.endAfter(from), pieces.endWithin(from + this.#maxBytes - size));
  }

  #isTime(): boolean {
    const lateMs = this.#now() - this.#nextMs;
    if (lateMs < 0) return false;
    this.#nextMs += this.#everyMs * (Math.floor(lateMs / this.#everyMs) + 1);
    return true;
  }
}
