import { JsonBytes, type Span } from './json.js';
import type { LineBuffer } from './line-buffer.js';
import { replyJson, type Protocol, type RequestHead } from './protocol.js';
import { RefusedError, refuseProtobuf } from './refused-error.js';

const PUSH = '/loki/api/v1/push';

/** The time of a value: nanoseconds since 1970, as text; some clients send a number. */
const NANOSECONDS = /^(?:"\d+"|\d+)$/;
const MAX_TIME_BYTES = 32;

/** Finds the protocol of Loki for a path; undefined for other paths. */
export function findLoki({ path, type }: RequestHead): Protocol | undefined {
  if (!path.endsWith(PUSH)) return undefined;
  return {
    read: (body, lines) => {
      refuseProtobuf(type, 'Content-Type: application/json');
      readPush(body, lines);
      return { status: 204, type: 'application/json', body: '' };
    },
    refuse: (status, message) => replyJson(status, { code: status, status: 'error', message }),
  };
}

/** `{"streams":[{"stream":{…},"values":[["<ns>","<line>",{…}]]}]}`: a line a value. */
function readPush(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  const start = json.skipBlanks(0);
  if (!json.isObjectAt(start)) throw new RefusedError(400, 'the body is not an object');
  if (json.skipBlanks(json.endOf(start)) !== body.length) throw new RefusedError(400, 'the body holds more than an object');
  const streams = json.member(start, 'streams');
  if (streams === undefined) throw new RefusedError(400, 'the body has no "streams"');
  for (const stream of json.elements(streams.start)) readStream(json, stream, lines);
}

function readStream(json: JsonBytes, stream: Span, lines: LineBuffer): void {
  const labels = json.member(stream.start, 'stream');
  const values = json.member(stream.start, 'values');
  if (labels === undefined || !json.isObjectAt(labels.start)) throw new RefusedError(400, 'a stream has no labels ("stream")');
  if (values === undefined) return;
  for (const value of json.elements(values.start)) {
    const [time, line, metadata] = json.elements(value.start);
    if (time === undefined || !isTime(json.bytes, time)) throw new RefusedError(400, 'a value has no time in nanoseconds');
    if (line === undefined || !json.isTextAt(line.start)) throw new RefusedError(400, 'a value has no line');
    lines.text('{"timestamp":');
    lines.json(json.bytes, time.start, time.end);
    lines.text(',"labels":');
    lines.json(json.bytes, labels.start, labels.end);
    lines.text(',"line":');
    lines.json(json.bytes, line.start, line.end);
    if (metadata !== undefined && json.firstMember(metadata.start) !== undefined) {
      lines.text(',"metadata":');
      lines.json(json.bytes, metadata.start, metadata.end);
    }
    lines.text('}');
    lines.endLine();
  }
}

function isTime(bytes: Buffer, { start, end }: Span): boolean {
  return end - start <= MAX_TIME_BYTES && NANOSECONDS.test(bytes.toString('latin1', start, end));
}
