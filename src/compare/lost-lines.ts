/** A page holds this many lines, a bit each. */
const PAGE_LINES = 1 << 16;

/** Lines from one up to another, that one left out. */
export interface LineRange {
  readonly from: number;
  readonly until: number;
}

/** A set of line numbers: a bit a line in pages, and no page where there is none. */
export class LostLines {
  size = 0;
  readonly #pages = new Map<number, Uint8Array>();

  add(line: number): void {
    const page = Math.floor(line / PAGE_LINES);
    let bits = this.#pages.get(page);
    if (bits === undefined) {
      bits = new Uint8Array(PAGE_LINES / 8);
      this.#pages.set(page, bits);
    }
    const at = line % PAGE_LINES;
    bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
    this.size += 1;
  }

  has(line: number): boolean {
    const at = line % PAGE_LINES;
    return (((this.#pages.get(Math.floor(line / PAGE_LINES))?.[at >>> 3] ?? 0) >>> (at & 7)) & 1) === 1;
  }

  /** Ranges that hold all of these lines, far from one another, in order. */
  ranges(): readonly LineRange[] {
    const ranges: LineRange[] = [];
    for (const page of Array.from(this.#pages.keys()).sort((one, other) => one - other)) {
      const last = ranges.at(-1);
      const from = page * PAGE_LINES;
      if (last?.until === from) ranges.pop();
      ranges.push({ from: last?.until === from ? last.from : from, until: from + PAGE_LINES });
    }
    return ranges;
  }
}
