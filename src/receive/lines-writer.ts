import { AnsweringWriter, type Rendered } from '../http/answering-writer.js';
import { countLines } from '../lines.js';
import { LF } from '../log/byte-string.js';
import { Chunk, PIPE_CHUNK_BYTES } from '../output/chunk.js';
import type { Output } from '../output/destination.js';
import type { HeldBytes } from './bodies.js';
import type { LineBuffer } from './line-buffer.js';

/** The outcome of writing a request: none of its lines stands unless they are `written`. `full`: too many requests are waiting. */
export type Outcome = 'written' | 'failed' | 'full';

/** Options of `LinesWriter`. */
interface LinesWriterOptions {
  /** The size from which the output is rotated: the lines of a larger request go to several files. May be Infinity. */
  readonly maxFileBytes: number;
  readonly warn: (message: string) => void;
}

/** Writes the lines of requests in order: those of small requests together, those of a large one by themselves and uncopied. */
export class LinesWriter {
  readonly #writer: AnsweringWriter<Rendered>;
  readonly #held: HeldBytes;
  readonly #maxFileBytes: number;

  constructor(output: Output, held: HeldBytes, { maxFileBytes, warn }: LinesWriterOptions) {
    this.#writer = new AnsweringWriter({ output, render: (rendered) => rendered, warn });
    this.#held = held;
    this.#maxFileBytes = maxFileBytes;
  }

  /** Resolves with the error once the output cannot recover: its reader is gone. */
  get lost(): Promise<Error> {
    return this.#writer.lost;
  }

  /** Resolves once no request is waiting. */
  idle(): Promise<void> {
    return this.#writer.idle();
  }

  /**
   * Writes the lines of a request, of which there is one at least.
   *
   * @param onOutcome called once the lines stand, or cannot
   * @returns resolves once the buffer of the lines may be used again
   */
  async write(lines: LineBuffer, onOutcome: (outcome: Outcome) => void): Promise<void> {
    const { bytes, count } = lines;
    if (bytes.length <= Math.min(PIPE_CHUNK_BYTES, this.#maxFileBytes)) {
      const copy = Buffer.from(bytes);
      this.#held.bytes += copy.length;
      this.#append({ bytes: copy, count }, (outcome) => {
        this.#held.bytes -= copy.length;
        onOutcome(outcome);
      });
    } else {
      const isTooLarge = bytes.length > this.#maxFileBytes;
      const alone = cutRequest(bytes, count, isTooLarge ? Math.min(PIPE_CHUNK_BYTES, this.#maxFileBytes) : Infinity);
      await new Promise<void>((resolve) => {
        this.#append({ bytes, count, alone }, (outcome) => {
          onOutcome(outcome);
          resolve();
        });
      });
    }
  }

  #append(rendered: Rendered, onOutcome: (outcome: Outcome) => void): void {
    const isTaken = this.#writer.append(rendered, (written) => {
      onOutcome(written === undefined ? 'failed' : 'written');
    });
    if (!isTaken) onOutcome('full');
  }
}

/**
 * The lines of one request as pieces of whole lines, uncopied: a failed write leaves no part of a piece, and a file may be rotated between
 * pieces.
 *
 * @param bytes one line or more
 * @param maxPieceBytes a piece has at most this size; a longer line is a piece of its own. Infinity for one piece
 */
export function cutRequest(bytes: Buffer, lineCount: number, maxPieceBytes: number): Chunk {
  const chunk = new Chunk(bytes);
  if (maxPieceBytes === Infinity) {
    chunk.endPiece(bytes.length, lineCount);
    return chunk;
  }
  for (let start = 0; start < bytes.length;) {
    const last = bytes.subarray(start, start + maxPieceBytes).lastIndexOf(LF);
    const end = (last === -1 ? bytes.indexOf(LF, start) : start + last) + 1;
    chunk.endPiece(end - start, countLines(bytes.subarray(start, end)));
    start = end;
  }
  return chunk;
}
