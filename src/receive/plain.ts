import { LF } from '../log/byte-string.js';
import { JsonBytes } from './json.js';
import type { LineBuffer } from './line-buffer.js';
import { replyJson, type Protocol, type RequestHead } from './protocol.js';
import { RefusedError } from './refused-error.js';

/** Media types of JSON, and of objects on lines of their own. */
const JSON_TYPE = /[/+](?:x-)?(?:json|ndjson|jsonlines|jsonl|json-lines|json-seq)$/;

/** The beginning of an object, or of an array that is empty or holds objects. A record of a log begins with a bracket too. */
const JSON_BEGINNING = /^[ \t\r\n]*(?:\{|\[[ \t\r\n]*[{\]])/;
const BEGINNING_BYTES = 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** The escapes in JSON of the characters that need one, by character. */
const ESCAPES = Array.from({ length: BACKSLASH + 1 }, (_, code) => JSON.stringify(String.fromCharCode(code)).slice(1, -1));

/** The protocol of all paths that no backend has: objects, or text. */
export function findPlain({ type }: RequestHead): Protocol {
  return {
    read: (body, lines) => {
      if (isJson(type, body)) readObjects(body, lines);
      else readText(body, lines);
      return replyJson(200, {});
    },
    refuse: (status, message) => replyJson(status, { status, error: message }),
  };
}

/** Media types say which it is; where there is none, or one that clients give for anything (`curl -d`), the first bytes do. */
function isJson(type: string, body: Buffer): boolean {
  if (JSON_TYPE.test(type)) return true;
  return !type.startsWith('text/') && JSON_BEGINNING.test(body.toString('latin1', 0, BEGINNING_BYTES));
}

/** Objects, and arrays of objects, with nothing but white space between them: a line an object. */
function readObjects(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  for (const value of json.values()) {
    for (const { start, end } of json.isArrayAt(value.start) ? json.elements(value.start) : [value]) {
      if (!json.isObjectAt(start)) throw new RefusedError(400, `a value that is not an object at byte ${String(start + 1)}`);
      lines.json(body, start, end);
      lines.endLine();
    }
  }
}

/** Reads a text: each of its lines, an empty one too, as `{"message":"…"}`. Bytes from 0x80 on stay as they are. */
export function readText(body: Buffer, lines: LineBuffer): void {
  for (let from = 0; from < body.length;) {
    const lf = body.indexOf(LF, from);
    const end = lf === -1 ? body.length : lf;
    lines.text('{"message":"');
    addEscaped(body, from, end, lines);
    lines.text('"}');
    lines.endLine();
    from = end + 1;
  }
}

function addEscaped(body: Buffer, start: number, end: number, lines: LineBuffer): void {
  let from = start;
  for (let at = start; at < end; at += 1) {
    const byte = body[at] ?? 0;
    if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) continue;
    lines.bytesOf(body, from, at);
    lines.text(ESCAPES[byte] ?? '');
    from = at + 1;
  }
  lines.bytesOf(body, from, end);
}
