import { isObject } from '../../arguments.js';
import { decodeText, encodeText } from '../../log/byte-string.js';

/** Byte strings. */
export interface AccessLine {
  readonly time: string;
  readonly method: string;
  readonly target: string;
  readonly status: string | undefined;
}

/** The fields before the request: `host ident user [18/May/2025:12:00:00 +0200] "`. A user may be any text with escaped quotes. */
const HEAD = /^\S+ \S+ .*?\[(\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "/;
const QUOTED = /[^"\\]*(?:\\[^][^"\\]*)*/y;
/** The fields after the request: `" 200 1234`, and any text after a space (referrer and user agent in the Combined format). */
const TAIL = /^" (\d{3}) (?:\d+|-)(?: |\r?$)/;
const REQUEST = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;

export function isAccessLine(text: string): boolean {
  return HEAD.test(text);
}

/** Parses a line of the Common or Combined format, which may end in CR; undefined if the line is malformed. */
export function parseCommonLine(text: string): AccessLine | undefined {
  const [head = '', time] = HEAD.exec(text) ?? [];
  QUOTED.lastIndex = head.length;
  const [quoted = ''] = QUOTED.exec(text) ?? [];
  const status = TAIL.exec(text.slice(head.length + quoted.length))?.[1];
  const [, method, target] = (REQUEST.exec(quoted) ?? []).map(unescape);
  if (time === undefined || status === undefined || method === undefined || target === undefined) return undefined;
  return { time, method, target, status };
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|(["\\]))/g;

/** Undoes the escapes of nginx (`\x22`) and Apache (`\"`, `\\`, `\xe9`); undefined for any other: a control character is not valid. */
function unescape(text: string): string | undefined {
  if (!text.includes('\\')) return text;
  if (text.replace(ESCAPE, '').includes('\\')) return undefined;
  return text.replace(ESCAPE, (_escape, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(parseInt(hex, 16)),
  );
}

/**
 * The values of a request in a JSON access log, and the keys that have them in the usual formats of nginx (`escape=json`) and in Caddy's.
 * The value of `request` may be a whole request line: `GET /mail/ HTTP/1.1`.
 */
export const JSON_KEYS = {
  time: ['time_iso8601', 'time_local', 'ts'],
  method: ['request_method', 'request.method'],
  target: ['request_uri', 'request.uri'],
  status: ['status'],
} as const;

export type JsonValue = keyof typeof JSON_KEYS;

/** The key or path of each value, where it is not a usual one. */
export type JsonKeys = Readonly<Partial<Record<JsonValue, string>>>;

const NOT_ASCII = /[\x80-\xff]/;

/** Parses a line of JSON, a byte string; undefined if the line is not an object with a time and a target. */
export function parseJsonLine(line: string, keys: JsonKeys): AccessLine | undefined {
  // nginx passes bytes through that are not UTF-8; characters then stand for bytes.
  const text = NOT_ASCII.test(line) ? decodeText(line) : line;
  let values: unknown;
  try {
    values = JSON.parse(text ?? line);
  } catch {
    return undefined;
  }
  const textAt = (paths: readonly string[]): string | undefined => {
    const found = paths.map((path) => scalarAt(values, path)).find((value) => value !== undefined);
    return found === undefined || text === undefined ? found : encodeText(found);
  };
  const find = (value: JsonValue): string | undefined => textAt(keys[value] === undefined ? JSON_KEYS[value] : [keys[value]]);
  const [, lineMethod = 'GET', lineTarget] = REQUEST.exec(textAt(['request']) ?? '') ?? [];
  const [time, target = lineTarget] = [find('time'), find('target')];
  if (time === undefined || target === undefined) return undefined;
  return { time, method: find('method') ?? lineMethod, target, status: find('status') };
}

/** The text or the number at a key, or at a path of keys joined by dots. A key that contains dots is found before a path. */
function scalarAt(value: unknown, path: string): string | undefined {
  if (!isObject(value)) return undefined;
  const values = new Map<string, unknown>(Object.entries(value));
  const found = values.get(path);
  if (found !== undefined) return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
  const dot = path.indexOf('.');
  return dot === -1 ? undefined : scalarAt(values.get(path.slice(0, dot)), path.slice(dot + 1));
}
