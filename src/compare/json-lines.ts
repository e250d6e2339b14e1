/** The content of a line of NDJSON. */
interface JsonLine {
  readonly values: readonly unknown[];
  /** Why the line is not one whole value, in words that are safe for a terminal. */
  readonly fault?: string;
}

/** An escape, or a pair of them for a character beyond the first 65,536. */
const ESCAPE = /\\(?:u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|u([\da-fA-F]{4})|.)/g;

/** Whole numbers that a number of JavaScript cannot hold: a Unix time in nanoseconds has 19 digits. */
const LONG_NUMBER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const HAS_LONG_NUMBER = /[:,[]\s*-?\d{16}/;

const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/** So many beginnings of objects are tried in a torn line: a line of nothing but braces must not take time without end. */
const MAX_TRIALS = 16;

/**
 * Reads a line of NDJSON. Texts in the values are byte strings: the bytes of the line as they are, and the UTF-8 of escapes. Of a line
 * that is torn, the whole values before and behind the torn one are read.
 *
 * @param line a byte string without LF
 * @param keepsLongNumbers whole numbers of more digits than a number can hold become texts
 */
export function parseJsonLine(line: string, keepsLongNumbers: boolean): JsonLine {
  const marked = line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line;
  const text = keepsLongNumbers && HAS_LONG_NUMBER.test(marked) ? quoteLongNumbers(marked) : marked;
  const source = text.includes('\\u') ? text.replace(ESCAPE, encodeEscape) : text;
  const whole = tryParse(source);
  if (whole !== undefined) return { values: [whole.value] };
  const values = parseConcatenated(source);
  if (values !== undefined) {
    return { values, fault: values.length === 1 ? 'text beside an object' : `${String(values.length)} objects on one line` };
  }
  return { values: parseAroundTear(source), fault: 'a torn line of JSON' };
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
  const [first] = units;
  if (first === undefined || first < 0x80) return escape;
  return Buffer.from(String.fromCharCode(...units)).toString('latin1');
}

/** Puts quotes around long numbers that are not in a text. */
function quoteLongNumbers(line: string): string {
  const parts: string[] = [];
  for (let at = 0; at < line.length;) {
    const quote = line.indexOf('"', at);
    const end = quote === -1 ? line.length : endOfText(line, quote);
    parts.push(line.slice(at, quote === -1 ? end : quote).replace(LONG_NUMBER, '"$&"'));
    if (quote !== -1) parts.push(line.slice(quote, end));
    at = end;
  }
  return parts.join('');
}

/** The place behind the quote that ends the text whose opening quote is at a place; the end of the line if there is none. */
function endOfText(line: string, opening: number): number {
  for (let at = opening + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') return at + 1;
  }
  return line.length;
}

/** The values of a line on which several stand, with blanks or a comma between them; undefined if they are not all whole. */
function parseConcatenated(line: string): readonly unknown[] | undefined {
  const { values, end } = parseLeading(line);
  return values.length > 0 && end === line.length ? values : undefined;
}

/** The whole objects at the beginning of a line, and the place behind them. */
function parseLeading(line: string): { readonly values: readonly unknown[]; readonly end: number } {
  const values: unknown[] = [];
  let from = skipBetween(line, 0);
  while (from < line.length) {
    const end = endOfObject(line, from);
    const parsed = end === -1 ? undefined : tryParse(line.slice(from, end));
    if (parsed === undefined) break;
    values.push(parsed.value);
    from = skipBetween(line, end);
  }
  return { values, end: from };
}

/** The whole objects before the torn one of a line, and those behind it. */
function parseAroundTear(line: string): readonly unknown[] {
  const { values: before, end } = parseLeading(line);
  let at = line.indexOf('{', end + 1);
  for (let trial = 0; trial < MAX_TRIALS && at !== -1; trial += 1) {
    const behind = parseConcatenated(line.slice(at));
    if (behind !== undefined) return [...before, ...behind];
    at = line.indexOf('{', at + 1);
  }
  return before;
}

function skipBetween(line: string, from: number): number {
  let at = from;
  while (at < line.length && ' \t\r,'.includes(line.charAt(at))) at += 1;
  return at;
}

/** The place behind the brace that closes the object at a place; -1 if there is none. */
function endOfObject(line: string, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length; at += 1) {
    const character = line[at];
    if (character === '"') {
      at = endOfText(line, at) - 1;
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
