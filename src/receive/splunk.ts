import { JsonBytes } from '../json-bytes.js';
import type { LineBuffer } from './line-buffer.js';
import { readText } from './plain.js';
import { replyJson, type Protocol } from './protocol.js';
import { RefusedError } from './refused-error.js';

const HEALTH = /\/services\/collector\/health(?:\/1\.0)?$/;
const RAW = /\/raw(?:\/1\.0)?$/;

/** Codes of the HTTP event collector by status; INVALID_DATA for any other. */
const CODES: Readonly<Record<number, number>> = { 429: 9, 503: 9 };
const INVALID_DATA = 6;

/** The protocol of Splunk's HTTP event collector. */
export const SPLUNK: Protocol = {
  paths: /\/services\/collector(?:\/(?:event|raw)(?:\/1\.0)?)?$/,
  read: (body, lines, { path }) => {
    if (RAW.test(path)) readText(body, lines);
    else readEvents(body, lines);
    if (lines.count === 0) throw new RefusedError(400, 'No data');
    return replyJson(200, { text: 'Success', code: 0 });
  },
  answerHealth: ({ path }) => (HEALTH.test(path) ? replyJson(200, { text: 'HEC is healthy', code: 17 }) : undefined),
  refuse: (status, message) => replyJson(status, { text: message, code: CODES[status] ?? INVALID_DATA }),
};

/** Objects with a member `event`, one behind the other: a line each. */
function readEvents(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  for (const event of json.values()) {
    if (json.member(event.start, 'event') === undefined) throw new RefusedError(400, 'Event field is required');
    lines.add([event]);
  }
}
