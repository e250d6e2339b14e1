/** A page holds this many lines, a bit each. */
const PAGE_LINES = 1 << 16;

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
}
