import { decodeText } from './byte-string.js';

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

type JsonFields<Name extends string> = Readonly<Record<Name, string> & Partial<Record<`${Name}_base64`, string>>>;

/** U+FFFD replaces bytes that are not UTF-8; `<name>_base64` then has all the bytes. */
export function jsonFieldsOf<Name extends string>(name: Name, bytes: string): JsonFields<Name>;
export function jsonFieldsOf(name: string, bytes: string): JsonFields<string> {
  const base64 = base64Of(bytes);
  return { [name]: textOf(bytes), ...(base64 !== undefined && { [`${name}_base64`]: base64 }) };
}
