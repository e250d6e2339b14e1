/** Bounds the memory of templates, whatever the lengths of values. */
const MAX_BYTES = 4 << 20;

/** A cache of templates; the key encodes the lengths of their values. All are dropped before they exceed 4 MiB in total. */
export class TemplateCache<T> {
  readonly #templates = new Map<number, T>();
  #bytes = 0;

  /** The template for values of these lengths; undefined if there is none yet. */
  get(lengths: number): T | undefined {
    return this.#templates.get(lengths);
  }

  /** Adds a template and returns it. @param byteLength its size */
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
