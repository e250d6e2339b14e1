import type { Place } from '../errors.js';

/** Which input a line is of, where the lines of several inputs are counted as one. */
export class SourceLines {
  /** The number of the line that comes next. */
  next = 1;
  readonly #sources: { readonly source: string; readonly firstLine: number }[] = [];

  begin(source: string): void {
    this.#sources.push({ source, firstLine: this.next });
  }

  /** The input of a line, and its number there. */
  placeOf(line: number): Required<Place> {
    const found = this.#sources.findLast(({ firstLine }) => firstLine <= line);
    return { source: found?.source ?? '', line: line - (found?.firstLine ?? 1) + 1 };
  }
}
