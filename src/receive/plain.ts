import { JsonBytes } from '../json-bytes.js';
import { LF } from '../log/byte-string.js';
import type { LineBuffer } from './line-buffer.js';
import { replyJson, type Protocol } from './protocol.js';
import { refuseBinary, RefusedError } from './refused-error.js';

/** Media types of JSON, and of objects on lines of their own. */
const JSON_TYPE = /[/+](?:x-)?(?:json|ndjson|jsonlines|jsonl|json-lines|json-seq)$/;

/** The beginning of an object, or of an array that is empty or holds objects. A record of a log begins with a bracket too. */
const JSON_BEGINNING = /^[ \t\r\n]*(?:\{|\[[ \t\r\n]*[{\]])/;
const BEGINNING_BYTES = 1024;

/** The protocol of all paths that no backend has: objects, or text. */
export const PLAIN: Protocol = {
  read: (body, lines, { type }) => {
    refuseBinary(type);
    if (isJson(type, body)) readObjects(body, lines);
    else readText(body, lines);
    return { answer: () => replyJson(200, {}) };
  },
  refuse: (status, message) => replyJson(status, { status, error: message }),
};

/** Media types say which it is; where there is none, or one that clients give for anything (`curl -d`), the first bytes do. */
function isJson(type: string, body: Buffer): boolean {
  if (JSON_TYPE.test(type)) return true;
  return !type.startsWith('text/') && JSON_BEGINNING.test(body.toString('latin1', 0, BEGINNING_BYTES));
}

/** Objects, and arrays of objects, with nothing but white space between them: a line an object. */
function readObjects(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  for (const value of json.values()) {
    for (const object of json.isAt(value.start, '[') ? json.elements(value.start) : [value]) {
      if (!json.isAt(object.start, '{'))
        throw new RefusedError(400, `a value that is not an object at byte ${String(object.start + 1)}`);
      lines.add([object]);
    }
  }
}

/** Reads a text: each of its lines, an empty one too, as `{"message":"…"}`. Bytes from 0x80 on stay as they are. */
export function readText(body: Buffer, lines: LineBuffer): void {
  for (let from = 0; from < body.length;) {
    const lf = body.indexOf(LF, from);
    const end = lf === -1 ? body.length : lf;
    lines.addMessage(body.subarray(from, end));
    from = end + 1;
  }
}
