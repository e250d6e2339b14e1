/** The content of a line of NDJSON. */
interface JsonLine {
  readonly values: readonly unknown[];
  /** Why the line is not one whole value, in words that are safe for a terminal. */
  readonly fault?: string;
}

/** An escape, or a pair of them for a character beyond the first 65,536. */
const ESCAPE = /\\(?:u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|u([\da-fA-F]{4})|.)/g;

/** Whole numbers that a number of JavaScript cannot hold: a Unix time in nanoseconds has 19 digits. A string is matched as a whole. */
const LONG_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;
const HAS_LONG_NUMBER = /[:,[]\s*-?\d{16}/;

/** So many beginnings of objects are tried in a torn line: a line of nothing but braces must not take time without end. */
const MAX_TRIALS = 16;

/**
 * Reads a line of NDJSON. Texts in the values are byte strings: the bytes of the line as they are, and the UTF-8 of escapes. Of a line
 * that is torn, the value that follows the torn one is read, if there is one.
 *
 * @param line a byte string without LF
 * @param keepsLongNumbers whole numbers of more digits than a number can hold become texts
 */
export function parseJsonLine(line: string, keepsLongNumbers: boolean): JsonLine {
  const text = keepsLongNumbers && HAS_LONG_NUMBER.test(line) ? quoteLongNumbers(line) : line;
  const source = text.includes('\\u') ? text.replace(ESCAPE, encodeEscape) : text;
  const whole = tryParse(source);
  if (whole !== undefined) return { values: [whole.value] };
  const values = parseConcatenated(source);
  if (values !== undefined) return { values, fault: `${String(values.length)} objects on one line` };
  return { values: parseBehindTear(source), fault: 'a torn line of JSON' };
}

/** True for an object of JSON: not an array, not null. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/** Escapes of ASCII stay for JSON.parse: a quote or an LF must not stand as it is. Half of a pair alone becomes U+FFFD. */
function encodeEscape(escape: string, high: string | undefined, low: string | undefined, single: string | undefined): string {
  const units = [high, low, single].flatMap((digits) => (digits === undefined ? [] : [parseInt(digits, 16)]));
  if (units.length === 0 || (units.length === 1 && (units[0] ?? 0) < 0x80)) return escape;
  return Buffer.from(String.fromCharCode(...units)).toString('latin1');
}

function quoteLongNumbers(line: string): string {
  return line.replace(LONG_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`));
}

/** The values of a line on which several stand, with blanks or a comma between them; undefined if they are not all whole. */
function parseConcatenated(line: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (let from = skipBetween(line, 0); from < line.length; from = skipBetween(line, from)) {
    const end = endOfObject(line, from);
    const parsed = end === -1 ? undefined : tryParse(line.slice(from, end));
    if (parsed === undefined) return undefined;
    values.push(parsed.value);
    from = end;
  }
  return values.length > 0 ? values : undefined;
}

/** The value at the end of a line whose beginning is torn. */
function parseBehindTear(line: string): readonly unknown[] {
  let at = line.indexOf('{', 1);
  for (let trial = 0; trial < MAX_TRIALS && at !== -1; trial += 1) {
    const values = parseConcatenated(line.slice(at));
    if (values !== undefined) return values;
    at = line.indexOf('{', at + 1);
  }
  return [];
}

function skipBetween(line: string, from: number): number {
  let at = from;
  while (at < line.length && ' \t\r,'.includes(line.charAt(at))) at += 1;
  return at;
}

/** The place behind the brace that closes the object at a place; -1 if there is none. */
function endOfObject(line: string, from: number): number {
  if (line[from] !== '{') return -1;
  let depth = 0;
  let isText = false;
  for (let at = from; at < line.length; at += 1) {
    const character = line[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') {
      isText = true;
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
