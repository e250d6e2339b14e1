import type { Place } from '../errors.js';
import { ReadAhead, type ReadAt } from './read-ahead.js';

interface BegunInput {
  readonly source: string;
  readonly firstLine: number;
  readonly position: number;
  readonly ahead: ReadAhead | undefined;
}

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
    const found = this.#inputs.findLast(({ firstLine }) => firstLine <= line);
    return { source: found?.source ?? '', line: line - (found?.firstLine ?? 1) + 1 };
  }

  /** Reads the line at a position once more, without its LF; good until the next call. */
  readLine(position: number): Buffer {
    const found = this.#inputs.findLast((input) => input.position <= position);
    return found?.ahead?.readLine(position - found.position) ?? Buffer.alloc(0);
  }
}
