import type { Place } from '../errors.js';
import { ReadAhead, type ReadAt } from './read-ahead.js';

interface BegunInput {
  readonly source: string;
  readonly firstLine: number;
  readonly position: number;
  readonly ahead: ReadAhead | undefined;
}

/** Stands for the input that bytes are of before any begins. */
const NONE: BegunInput = { source: '', firstLine: 1, position: 0, ahead: undefined };

/** The inputs of a side that are read one behind the other: their lines and bytes are counted as those of one. */
export class ReceivedInputs {
  /** The number of the line that comes next, and the position of the byte. */
  nextLine = 1;
  nextPosition = 0;
  readonly #inputs: BegunInput[] = [];

  /** Bytes that are read from now on are of this input. */
  begin(source: string, readAt: ReadAt | undefined): void {
    const ahead = readAt === undefined ? undefined : new ReadAhead(readAt);
    this.#inputs.push({ source, firstLine: this.nextLine, position: this.nextPosition, ahead });
  }

  /** The input of a line, and its number there. */
  placeOf(line: number): Required<Place> {
    const { source, firstLine } = this.#inputs.findLast((input) => input.firstLine <= line) ?? NONE;
    return { source, line: line - firstLine + 1 };
  }

  /** Reads the line at a position once more, without its LF; good until the next call. */
  readLine(position: number): Buffer {
    const { ahead, position: start } = this.#inputs.findLast((input) => input.position <= position) ?? NONE;
    return ahead?.readLine(position - start) ?? Buffer.alloc(0);
  }
}
