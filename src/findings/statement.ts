import { copyBytes } from '../log/byte-string.js';
import { jsonFieldsOf } from '../log/json-text.js';

/** One half of a finding: what was found, or what was expected. */
export interface Statement {
  /** Text for people, safe for a terminal. `VALUE` is the placeholder of the value in this text. */
  readonly words: string;
  /** A byte string, uncut and unescaped; undefined if the words say everything. */
  readonly value?: string;
}

/** The placeholder of the value in the words of a statement: NUL, which no text safe for a terminal contains. */
export const VALUE = '\0';

/** Makes a statement. The value is copied, because a slice of a line keeps the whole line in memory. */
export function statement(words: string, value?: string): Statement {
  return value === undefined ? { words } : { words, value: copyBytes(value) };
}

/** Makes a statement of a quoted value alone. */
export function quoted(value: string): Statement {
  return statement(`"${VALUE}"`, value);
}

/** A statement as fields of a JSON object: the value, or the words if there is none. Bytes that are not UTF-8 are in `<name>_base64`. */
export function statementFields(name: string, { words, value }: Statement): Readonly<Record<string, string>> {
  return value === undefined ? { [name]: words } : jsonFieldsOf(name, value);
}
