import { encodeText } from '../log/byte-string.js';

/** A line of an envelope, in byte strings. */
export interface Opened {
  /** The record, or the piece of one, without an LF. */
  readonly inside: string;
  /** The envelope, with the form of its stamps: files of one form can be compared line by line. */
  readonly form: string;
  /** The output of the container that the record went to; empty where there is none. Pieces are joined by it. */
  readonly stream: string;
  readonly hasMore: boolean;
  readonly time: string;
}

const HEAD = '{"log":"';

/** The fields behind the log; labels of the container, `attrs`, may stand among them. */
const TAIL = /^"(?:,"attrs":\{.*\})?,"stream":"(stdout|stderr)"(?:,"attrs":\{.*\})?,"time":"([^"]*)"(?:,"attrs":\{.*\})?\}$/;

/** An escape of JSON, or several of code units, which may be halves of a character. */
const ESCAPES = /(?:\\u[0-9a-fA-F]{4})+|\\["\\/bfnrt]/g;

const ESCAPED_LF = '\\n';

/** Most lines have the fields of the line before. */
let last: { readonly tail: string; readonly stream: string; readonly time: string } | undefined;

/** `{"log":"<record>\n","stream":"stderr","time":"…"}`; a piece but the last has no LF. */
export function openDocker(line: string): Opened | undefined {
  if (!line.startsWith(HEAD)) return undefined;
  const end = findQuote(line, HEAD.length);
  const tail = line.slice(end);
  if (last?.tail !== tail) {
    const [, stream, time] = TAIL.exec(tail) ?? [];
    if (stream === undefined || time === undefined) return undefined;
    last = { tail, stream, time };
  }
  const { stream, time } = last;
  const escaped = line.slice(HEAD.length, end);
  const hasMore = !escaped.endsWith(ESCAPED_LF) || isEscaped(escaped, escaped.length - ESCAPED_LF.length);
  const inside = unescape(hasMore ? escaped : escaped.slice(0, -ESCAPED_LF.length));
  return inside.includes('\n') ? undefined : { inside, form: 'docker', stream, hasMore, time };
}

function findQuote(line: string, from: number): number {
  let quote = line.indexOf('"', from);
  while (quote !== -1 && isEscaped(line, quote)) quote = line.indexOf('"', quote + 1);
  return quote;
}

function isEscaped(line: string, at: number): boolean {
  let backslash = at - 1;
  while (line[backslash] === '\\') backslash -= 1;
  return (at - backslash) % 2 === 0;
}

function unescape(escaped: string): string {
  if (!escaped.includes('\\')) return escaped;
  // The one escape of most targets is worth a shorter way.
  const short = escaped.includes('\\\\') ? escaped : escaped.replaceAll('\\u0026', '&');
  if (!short.includes('\\')) return short;
  return escaped.replace(ESCAPES, (escapes) => encodeText(String(JSON.parse(`"${escapes}"`))));
}

/** Bytes that Docker escapes in JSON, valid sequences of UTF-8 with them, and bytes that are not UTF-8. */
const TO_ESCAPE =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\0-\x1f"\\&<>\x80-\xff]/g;

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': ESCAPED_LF,
  '\r': '\\r',
  '\t': '\\t',
  '\xe2\x80\xa8': '\\u2028',
  '\xe2\x80\xa9': '\\u2029',
};

const BEYOND_AMPERSAND = /[\0-\x09\x0b-\x1f"\\<>\x80-\xff]/;

/** Escapes a byte string as Docker's encoder does; each byte that is not UTF-8 is U+FFFD. An LF is left. */
export function escapeForDocker(bytes: string): string {
  if (!BEYOND_AMPERSAND.test(bytes)) return bytes.replaceAll('&', '\\u0026');
  return bytes.replace(TO_ESCAPE, (found) => {
    if (found === '\n') return found;
    const escaped = ESCAPED[found];
    if (escaped !== undefined || found.length > 1) return escaped ?? found;
    return found >= '\x80' ? '\\ufffd' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
