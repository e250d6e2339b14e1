import { JsonBytes, type Span } from '../json-bytes.js';
import type { LineBuffer } from './line-buffer.js';
import { replyJson, type Protocol } from './protocol.js';
import { RefusedError, refuseProtobuf } from './refused-error.js';

/** The time of a value: nanoseconds since 1970, as text; some clients send a number. */
const NANOSECONDS = /^(?:"\d+"|\d+)$/;

/** The protocol of Loki. */
export const LOKI: Protocol = {
  paths: /\/loki\/api\/v1\/push$/,
  read: (body, lines, { type }) => {
    refuseProtobuf(type, 'Content-Type: application/json');
    readPush(body, lines);
    return { status: 204, type: 'application/json', body: '' };
  },
  answerHealth: ({ path }) =>
    path === '/ready' ? { status: 200, type: 'text/plain; charset=utf-8', body: 'ready\n' } : undefined,
  refuse: (status, message) => replyJson(status, { code: status, status: 'error', message }),
};

/** `{"streams":[{"stream":{…},"values":[["<ns>","<line>",{…}]]}]}`: a line a value. */
function readPush(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  const streams = json.member(json.onlyObject().start, 'streams');
  if (streams === undefined) throw new RefusedError(400, 'the body has no "streams"');
  for (const stream of json.elements(streams.start)) readStream(json, stream, lines);
}

function readStream(json: JsonBytes, stream: Span, lines: LineBuffer): void {
  const labels = json.member(stream.start, 'stream');
  const values = json.member(stream.start, 'values');
  if (labels === undefined || !json.isAt(labels.start, '{')) throw new RefusedError(400, 'a stream has no labels ("stream")');
  for (const value of values === undefined ? [] : json.elements(values.start)) {
    const [time, line, metadata] = json.elements(value.start);
    if (time === undefined || !NANOSECONDS.test(json.textOf(time)))
      throw new RefusedError(400, 'a value has no time in nanoseconds');
    if (line === undefined || !json.isAt(line.start, '"')) throw new RefusedError(400, 'a value has no line');
    const more = metadata === undefined || json.isEmptyObject(metadata.start) ? [] : [',"metadata":', metadata];
    lines.add(['{"timestamp":', time, ',"labels":', labels, ',"line":', line, ...more, '}']);
  }
}
