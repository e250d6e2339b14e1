import { JsonBytes } from './json.js';
import type { LineBuffer } from './line-buffer.js';
import { readText } from './plain.js';
import { replyJson, type Protocol, type RequestHead } from './protocol.js';
import { RefusedError } from './refused-error.js';

const EVENTS = /\/services\/collector(?:\/event(?:\/1\.0)?)?$/;
const RAW = /\/services\/collector\/raw(?:\/1\.0)?$/;

/** Codes of the HTTP event collector by status; INVALID_DATA for any other. */
const CODES: Readonly<Record<number, number>> = { 429: 9, 503: 9 };
const INVALID_DATA = 6;

/** Finds the protocol of Splunk's HTTP event collector for a path; undefined for other paths. */
export function findSplunk({ path }: RequestHead): Protocol | undefined {
  const readBody = EVENTS.test(path) ? readEvents : RAW.test(path) ? readText : undefined;
  if (readBody === undefined) return undefined;
  return {
    read: (body, lines) => {
      if (body.length === 0) throw new RefusedError(400, 'No data');
      readBody(body, lines);
      return replyJson(200, { text: 'Success', code: 0 });
    },
    refuse: (status, message) => replyJson(status, { text: message, code: CODES[status] ?? INVALID_DATA }),
  };
}

/** Objects with a member `event`, one behind the other: a line each. */
function readEvents(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  for (const { start, end } of json.values()) {
    if (json.member(start, 'event') === undefined) throw new RefusedError(400, 'Event field is required');
    lines.json(body, start, end);
    lines.endLine();
  }
  if (lines.count === 0) throw new RefusedError(400, 'No data');
}
