import { decodeText } from './byte-string.js';

const PLAIN = /^[ !#-[\]-~]*$/;

/** True for a byte string that needs no escaping in JSON: printable ASCII without quotes and backslashes. */
export function isPlainJson(bytes: string): boolean {
  return PLAIN.test(bytes);
}

export function isUtf8(bytes: string): boolean {
  return isPlainJson(bytes) || decodeText(bytes) !== undefined;
}

/** A byte string as a JSON string, quotes included, to be written as UTF-8. U+FFFD replaces bytes that are not UTF-8. */
export function quoteJson(bytes: string): string {
  return isPlainJson(bytes) ? `"${bytes}"` : JSON.stringify(replaceInvalid(bytes));
}

export function quoteBase64(bytes: string): string {
  return `"${encodeBase64(bytes)}"`;
}

type JsonFields<Name extends string> = Readonly<Record<Name, string> & Partial<Record<`${Name}_base64`, string>>>;

/** U+FFFD replaces bytes that are not UTF-8; `<name>_base64` then has all the bytes. */
export function jsonFieldsOf<Name extends string>(name: Name, bytes: string): JsonFields<Name>;
export function jsonFieldsOf(name: string, bytes: string): JsonFields<string> {
  const text = isPlainJson(bytes) ? bytes : decodeText(bytes);
  return text === undefined ? { [name]: replaceInvalid(bytes), [`${name}_base64`]: encodeBase64(bytes) } : { [name]: text };
}

/** Formats `jsonFieldsOf` without braces: `"name":"…"`, followed by `,"name_base64":"…"` where the bytes are not UTF-8. */
export function formatJsonField(name: string, bytes: string): string {
  return isPlainJson(bytes) ? `"${name}":"${bytes}"` : JSON.stringify(jsonFieldsOf(name, bytes)).slice(1, -1);
}

function replaceInvalid(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function encodeBase64(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('base64');
}
