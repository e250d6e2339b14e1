import { isObject } from '../arguments.js';
import { BrokenJsonError, JsonBytes } from '../log/json-bytes.js';
import type { ReceivedForm } from './mismatch.js';
import type { ReadLine } from './records.js';

export interface NoRecord {
  readonly reason: string;
  readonly isAbsent?: boolean;
}

export interface ObjectReader {
  /** The compared part of an object, a byte string; why it cannot be a record; undefined for an object that is passed over. */
  readonly read: (value: object) => string | NoRecord | undefined;
  /** True if fields are compared: lines are kept to be shown, and whole numbers of many digits are read as texts. */
  readonly isParsed: boolean;
}

const BLANK = /^[ \t\r]*$/;

/** Reads the objects of NDJSON as records. Blank lines are passed over, as `jq` does. @param form is shown all lines and objects */
export function readObjects({ read, isParsed }: ObjectReader, form: ReceivedForm): ReadLine {
  return (text, line) => {
    if (BLANK.test(text)) return [];
    const { values, reason } = parseJsonLine(text, isParsed);
    form.addLine(values.some(({ value }) => isObject(value)));
    const records = values.map(({ value, text }) => {
      const found: ReturnType<typeof read> = isObject(value) ? read(value) : { reason: 'not an object' };
      if (isObject(value)) form.addObject(value, typeof found === 'string' || (found !== undefined && found.isAbsent !== true));
      if (typeof found === 'string') return { compared: found, line, text: isParsed ? text : undefined };
      return found && { compared: '', line, text, reason: found.reason };
    });
    return reason === undefined ? records : [{ compared: '', line, text, reason }, ...records];
  };
}

/** The values of a line, the part of it that each is, and the reason that it is not one whole value. */
interface JsonLine {
  readonly values: readonly { readonly value: unknown; readonly text: string }[];
  readonly reason?: string;
}

/** Whole numbers that a number of JavaScript cannot hold: a Unix time in nanoseconds has 19 digits. Or the same within a text. */
const LONG_NUMBERS = /([:,[]\s*)(-?\d{16,})(?=\s*[,}\]])/g;

const MAX_OBJECTS = 1000;

/** Beginnings of objects that are tried in a torn line: a line of nothing but braces must not take time without end. */
const MAX_TRIALS = 16;

/** Shorter lines cannot nest too deeply: V8 takes 100 bytes and more for each level, and cannot write very many. */
const LONG_LINE = 1 << 13;

/** Reads a line of NDJSON, torn or of many objects too. Texts in the values are byte strings: the line's bytes, and the UTF-8 of escapes. */
function parseJsonLine(line: string, keepsLongNumbers: boolean): JsonLine {
  const whole = line.replace(/^\xef\xbb\xbf/, '');
  if (whole.length > LONG_LINE && findEnd(Buffer.from(whole, 'latin1'), 0) === 'too deep')
    return { values: [], reason: 'nested too deeply' };
  const source = whole.includes('\\u') ? encodeEscapes(whole) : whole;
  // In a text that holds such a number, the quotes end the text, and the line is not JSON: the line is then read without quotes.
  const quoted = keepsLongNumbers ? tryParse(source.replace(LONG_NUMBERS, '$1"$2"')) : undefined;
  const value = quoted ?? tryParse(source);
  return value === undefined ? parseObjects(source) : { values: [{ value, text: line }] };
}

function findEnd(json: Buffer, from: number): number | 'too deep' | undefined {
  try {
    return new JsonBytes(json).endOf(from);
  } catch (error) {
    if (!(error instanceof BrokenJsonError)) throw error;
    return error.isTooDeep ? 'too deep' : undefined;
  }
}

export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Escapes of characters beyond ASCII in a row, no pair of surrogates torn, or the beginning of any other escape. */
const ESCAPES = /(?:\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u(?!00[0-7])[\da-fA-F]{4}){1,1000}|\\[^]/g;

/** Rewrites escapes of characters beyond ASCII as UTF-8: texts are byte strings then. Those of ASCII stay: an LF must not stand by itself. */
function encodeEscapes(json: string): string {
  const encoded = Buffer.allocUnsafe(json.length);
  let [length, from] = [0, 0];
  for (const { 0: escapes, index } of json.matchAll(ESCAPES)) {
    if (escapes.length === 2) continue;
    length += encoded.write(json.slice(from, index), length, 'latin1');
    length += encoded.write(String(JSON.parse(`"${escapes}"`)), length);
    from = index + escapes.length;
  }
  length += encoded.write(json.slice(from), length, 'latin1');
  return encoded.toString('latin1', 0, length);
}

/** The whole objects of a line that is not one value. Behind a torn object, those are read which nothing else follows. */
function parseObjects(line: string): JsonLine {
  const json = Buffer.from(line, 'latin1');
  const values: { value: unknown; text: string }[] = [];
  let [beforeTear, trials] = [0, 0];
  for (let from = 0; from < line.length;) {
    if (' \t\r,'.includes(line.charAt(from))) {
      from += 1;
      continue;
    }
    if (values.length === MAX_OBJECTS) return { values, reason: `more than ${String(MAX_OBJECTS)} objects on one line` };
    const end = '{['.includes(line.charAt(from)) ? findEnd(json, from) : undefined;
    if (typeof end === 'number') {
      const text = line.slice(from, end);
      values.push({ value: JSON.parse(text), text });
      from = end;
      continue;
    }
    if (trials === 0) beforeTear = values.length;
    values.length = beforeTear;
    trials += 1;
    from = line.indexOf('{', from + 1);
    if (from === -1 || trials > MAX_TRIALS) break;
  }
  if (trials > 0 || values.length === 0) return { values, reason: 'a torn line of JSON' };
  return { values, reason: values.length === 1 ? 'text beside an object' : `${String(values.length)} objects on one line` };
}
