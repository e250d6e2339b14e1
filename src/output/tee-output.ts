import { Output } from './output.js';
import { partOf, type WholePieces } from './whole-pieces.js';

/**
 * Writes everything to a copy first, and then to an output: nothing can have arrived anywhere that the copy does not hold. Counts what
 * stands in the output. If a write to a file fails, copy and output hold the same pieces in the end.
 */
export class TeeOutput extends Output {
  override readonly mayRecover: boolean;
  readonly #copy: Output;
  readonly #output: Output;

  constructor(copy: Output, output: Output) {
    super(output.noun);
    this.#copy = copy;
    this.#output = output;
    this.mayRecover = copy.mayRecover && output.mayRecover;
  }

  override async write(pieces: WholePieces): Promise<void> {
    const before = this.#copy.written;
    try {
      await this.#copy.write(pieces);
    } catch (error) {
      const until = pieces.endOfCount(this.#copy.written - before);
      if (until > 0) await this.#pass(partOf(pieces, 0, until));
      throw error;
    }
    await this.#pass(pieces);
  }

  /** Writes pieces to the output that stand in the copy. */
  async #pass(pieces: WholePieces): Promise<void> {
    const before = this.#output.written;
    try {
      await this.#output.write(pieces);
    } catch (error) {
      // Nobody knows how much of a write to a pipe has been read.
      if (this.#output.mayRecover) {
        this.#copy.takeBack(pieces.bytes.subarray(pieces.endOfCount(this.#output.written - before)));
      }
      throw error;
    } finally {
      this.written = this.#output.written;
      this.lastLine = this.#output.lastLine;
    }
  }
}
