/**
 * The log is bytes, not text: a request target may contain bytes that are not UTF-8. The code therefore handles it as *byte strings*:
 * JavaScript strings in which each character (U+0000 to U+00FF) stands for one byte. ASCII text is its own byte string.
 */

export const LF = 0x0a;

const FIELD_BYTES = /^[\x21-\x7e\x80-\xff]*$/;

/** The byte string of a text: its UTF-8 bytes, one character for each. */
export function encodeText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** True if a byte string has only bytes 0x21 to 0xFF without 0x7F: as a field, it cannot forge another record. */
export function isFieldText(bytes: string): boolean {
  return FIELD_BYTES.test(bytes);
}

/** A copy of a byte string. Unlike a slice, a copy does not keep the block that it was cut from in memory. */
export function copyBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('latin1');
}

/** The text of a byte string in UTF-8; undefined for bytes that are not UTF-8. The inverse of `encodeText`. */
export function decodeText(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** True for a byte string that needs no escaping in JSON: printable ASCII without quotes and backslashes. */
export function isPlainJson(bytes: string): boolean {
  return PLAIN.test(bytes);
}

/** The text of a byte string; U+FFFD replaces bytes that are not UTF-8. */
export function textOf(bytes: string): string {
  return isPlainJson(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The text of a byte string as JSON, to be written as UTF-8. */
export function quoteJson(bytes: string): string {
  return isPlainJson(bytes) ? `"${bytes}"` : JSON.stringify(textOf(bytes));
}

/** The bytes in base64 if they are not UTF-8: `textOf` has lost some. */
export function base64Of(bytes: string): string | undefined {
  return isPlainJson(bytes) || decodeText(bytes) !== undefined ? undefined : Buffer.from(bytes, 'latin1').toString('base64');
}

/** A text, in which U+FFFD replaces bytes that are not UTF-8; `<name>_base64` then has all the bytes. */
export type JsonFields<Name extends string> = Readonly<Record<Name, string> & Partial<Record<`${Name}_base64`, string>>>;

export function jsonFieldsOf<Name extends string>(name: Name, bytes: string): JsonFields<Name>;
export function jsonFieldsOf(name: string, bytes: string): Readonly<Record<string, string>> {
  const base64 = base64Of(bytes);
  return { [name]: textOf(bytes), ...(base64 !== undefined && { [`${name}_base64`]: base64 }) };
}
