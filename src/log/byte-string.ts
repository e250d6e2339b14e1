/**
 * The log is bytes, not text: a request target may hold bytes that are no UTF-8. Inside the project a piece of it is a
 * *byte string*, a JavaScript string whose every character (U+0000 to U+00FF) stands for one byte. ASCII text is its own byte string.
 */

/** The byte that ends a record (1.3), and a line of any input. */
export const LF = 0x0a;

/** What a field of a record may hold: any byte from 0x21 to 0xFF but DEL (0x7F), so no space, control or line break. */
const FIELD_BYTES = /^[\x21-\x7e\x80-\xff]*$/;

/** The byte string of a text: its UTF-8 bytes, a character each. */
export function encodeText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Whether a byte string can stand in a record without forging another: bytes 0x21 to 0xFF, less 0x7F. */
export function isFieldText(bytes: string): boolean {
  return FIELD_BYTES.test(bytes);
}

/** The same byte string in memory of its own. A slice of a block of input keeps the whole block for as long as it is kept itself. */
export function copyBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('latin1');
}

/** The text whose UTF-8 bytes a byte string is; undefined if it is no UTF-8. The inverse of `encodeText`. */
export function decodeText(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
