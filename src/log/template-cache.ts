/** Bounds the memory of templates, whatever lengths values have. */
const MAX_BYTES = 4 << 20;

/** Templates by a number that stands for the lengths of their values. All are dropped when they would exceed 4 MiB together. */
export class TemplateCache<T> {
  readonly #templates = new Map<number, T>();
  #bytes = 0;

  /** The template for values of these lengths; undefined if there is none yet. */
  get(lengths: number): T | undefined {
    return this.#templates.get(lengths);
  }

  /** Adds a template, and gives it back. @param byteLength the number of its bytes */
  add(lengths: number, template: T, byteLength: number): T {
    if (this.#bytes + byteLength > MAX_BYTES) {
      this.#templates.clear();
      this.#bytes = 0;
    }
    this.#bytes += byteLength;
    this.#templates.set(lengths, template);
    return template;
  }
}
