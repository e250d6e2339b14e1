import { copyBytes } from '../log/byte-string.js';
import { jsonFieldsOf } from '../log/json-text.js';

/** One half of a finding: what was found, or what was expected. */
export interface Statement {
  /** Text for people, safe for a terminal. `VALUE` in it is the placeholder of the value. */
  readonly words: string;
  /** A byte string, whole and unescaped; undefined where the words say everything. */
  readonly value?: string;
}

/** The placeholder of the value in the words of a statement. No text that is safe for a terminal holds a NUL. */
export const VALUE = '\0';

/** A statement. The value is copied, because a slice of a line keeps the whole line in memory. */
export function statement(words: string, value?: string): Statement {
  return value === undefined ? { words } : { words, value: copyBytes(value) };
}

/** The statement of a value alone, in quotes. */
export function quoted(value: string): Statement {
  return statement(`"${VALUE}"`, value);
}

/**
 * A statement as fields of a JSON object: the value where there is one, else the words. A value that is not UTF-8 has its bytes in
 * `<name>_base64`.
 */
export function statementFields(name: string, { words, value }: Statement): Readonly<Record<string, string>> {
  return value === undefined ? { [name]: words } : jsonFieldsOf(name, value);
}
