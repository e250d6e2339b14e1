import { decodeText } from '../log/byte-string.js';

/** Texts that stand in JSON as they are: printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Whether a byte string is UTF-8. */
export function isText(bytes: string): boolean {
  return PLAIN.test(bytes) || decodeText(bytes) !== undefined;
}

/** A byte string as a string of JSON, quotes included, to be written as UTF-8; U+FFFD stands where it is no UTF-8. */
export function quoteJson(bytes: string): string {
  if (PLAIN.test(bytes)) return `"${bytes}"`;
  return JSON.stringify(Buffer.from(bytes, 'latin1').toString('utf8'));
}

/** The bytes of a byte string in base64, as a string of JSON. */
export function quoteBase64(bytes: string): string {
  return `"${Buffer.from(bytes, 'latin1').toString('base64')}"`;
}

/** A function that keeps its last answer: the records of a group have most in common. */
export class LastValueCache<T> {
  readonly #format: (value: T) => string;
  #last: { readonly value: T; readonly json: string } | undefined;

  constructor(format: (value: T) => string) {
    this.#format = format;
  }

  of(value: T): string {
    if (this.#last === undefined || this.#last.value !== value) this.#last = { value, json: this.#format(value) };
    return this.#last.json;
  }
}
