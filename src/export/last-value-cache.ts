/** A cache of one value: the records of a group share most of their fields, so a field mostly formats as it did last. */
export class LastValueCache<T> {
  readonly #format: (value: T) => string;
  #last: { readonly value: T; readonly json: string } | undefined;

  constructor(format: (value: T) => string) {
    this.#format = format;
  }

  /** What `format` gives for a value. */
  of(value: T): string {
    if (this.#last === undefined || this.#last.value !== value) this.#last = { value, json: this.#format(value) };
    return this.#last.json;
  }
}
