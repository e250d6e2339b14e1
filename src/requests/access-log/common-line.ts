import { entryOf, type Entry, type LineContext } from './entry.js';

/** The fields before the request: `host ident user [18/May/2025:12:00:00 +0200] "`. A user may be any text with escaped quotes. */
const HEAD = /^\S+ \S+ .*?\[(\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "/;
/** The fields after the request: `" 200 1234`, and any text after a space (referrer and user agent in the Combined format). */
const TAIL = /^" (\d{3}) (?:\d+|-)(?: |\r?$)/;
/** `GET /mail/ HTTP/1.1` */
const REQUEST = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;

/** True if a line begins as in an access log. */
export function isAccessLine(text: string): boolean {
  return HEAD.test(text);
}

/** Parses a line of the Common or Combined format, which may end in CR; undefined if the line is malformed. */
export function parseCommonLine(text: string, context: LineContext): Entry | undefined {
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const [before, timestamp = ''] = head;
  const end = findClosingQuote(text, before.length);
  const status = TAIL.exec(text.slice(end))?.[1];
  const request = REQUEST.exec(text.slice(before.length, end));
  if (status === undefined || request === null) return undefined;
  const method = unescape(request[1] ?? '');
  const target = unescape(request[2] ?? '');
  if (method === undefined || target === undefined) return undefined;
  return entryOf({ time: timestamp, method, target, status }, context);
}

/** Finds the first unescaped quote from `from` on; the end of the text if there is none. */
function findClosingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|(["\\]))/g;

/**
 * Undoes the escapes of nginx (`\x22`) and Apache (`\"`, `\\`, `\xe9`).
 *
 * @returns undefined for any other escape, such as `\n`: a control character makes a target invalid
 */
function unescape(text: string): string | undefined {
  if (!text.includes('\\')) return text;
  if (text.replace(ESCAPE, '').includes('\\')) return undefined;
  return text.replace(ESCAPE, (_escape, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(parseInt(hex, 16)),
  );
}
