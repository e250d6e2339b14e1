import { isObject } from '../../arguments.js';
import { decodeText, encodeText } from '../../log/byte-string.js';
import { entryOf, type Entry, type LineContext } from './entry.js';

/**
 * The values of a request in a JSON access log, and the keys that have them in the usual formats of nginx (`escape=json`) and in Caddy's.
 * A key that contains dots is found before a path. The value of `request` may be a whole request line: `GET /mail/ HTTP/1.1`.
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

/** `GET /mail/ HTTP/1.1` */
const REQUEST_LINE = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;

/** Parses a line of JSON, a byte string; undefined if the line is not an object with a time and a target that are valid. */
export function parseJsonLine(line: string, keys: JsonKeys, context: LineContext): Entry | undefined {
  // nginx passes bytes through that are not UTF-8; characters then stand for bytes.
  const text = NOT_ASCII.test(line) ? decodeText(line) : line;
  const values = parseObject(text ?? line);
  if (values === undefined) return undefined;
  const textAt = (paths: readonly string[]): string | undefined => {
    const found = paths.map((path) => scalarAt(values, path)).find((value) => value !== undefined);
    return found === undefined || text === undefined ? found : encodeText(found);
  };
  const [, lineMethod, lineTarget] = REQUEST_LINE.exec(textAt(['request']) ?? '') ?? [];
  const find = (value: JsonValue): string | undefined => textAt(keys[value] === undefined ? JSON_KEYS[value] : [keys[value]]);
  const { time, target = lineTarget } = { time: find('time'), target: find('target') };
  if (time === undefined || target === undefined) return undefined;
  return entryOf({ time, method: find('method') ?? lineMethod ?? 'GET', target, status: find('status') }, context);
}

const NOT_ASCII = /[\x80-\xff]/;

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text or the number at a key, or at a path of keys joined by dots; undefined if there is none. */
function scalarAt(value: unknown, path: string): string | undefined {
  const values = isObject(value) ? new Map<string, unknown>(Object.entries(value)) : undefined;
  const found = values?.get(path);
  if (found !== undefined) return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
  const dot = path.indexOf('.');
  return dot === -1 ? undefined : scalarAt(values?.get(path.slice(0, dot)), path.slice(dot + 1));
}
