/** How many bytes a character takes at most: U+FFFF takes three in UTF-8. */
const MAX_CHARACTER_BYTES = 3;

/** Memory in which texts are encoded one after the other, without a buffer for each. */
export class Scratch {
  readonly #encoding: 'latin1' | 'utf8';
  #buffer = Buffer.alloc(4096);

  /** @param encoding `latin1` for byte strings */
  constructor(encoding: 'latin1' | 'utf8') {
    this.#encoding = encoding;
  }

  /** The bytes of a text, good until the next call. */
  encode(text: string): Uint8Array {
    const most = text.length * MAX_CHARACTER_BYTES;
    if (most > this.#buffer.length) this.#buffer = Buffer.alloc(2 * most);
    return this.#buffer.subarray(0, this.#buffer.write(text, this.#encoding));
  }
}
