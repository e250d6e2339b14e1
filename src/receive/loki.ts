import { JsonBytes } from '../log/json-bytes.js';
import { RefusedError, unpackSnappy } from './bodies.js';
import type { LineBuffer } from './lines.js';
import { replyJson, type Accepted, type Protocol } from './protocols.js';

/** The time of a value: nanoseconds since 1970, as text. Loki refuses a number. */
const NANOSECONDS = /^"\d+"$/;

const ACCEPTED: Accepted = { answer: () => ({ status: 204, type: 'application/json', body: '' }) };

export const LOKI: Protocol = {
  read: (body, lines) => {
    readPush(body, lines);
    return ACCEPTED;
  },
  readProtobuf: async (body, lines, { encoding }) => {
    // Clients pack Protobuf always, and need not say so.
    await readProtobuf(encoding === 'snappy' ? body : await unpackSnappy(body), lines);
    return ACCEPTED;
  },
  answer: ({ method, path }) =>
    method === 'GET' && path === '/ready' ? { status: 200, type: 'text/plain; charset=utf-8', body: 'ready\n' } : undefined,
  refuse: (status, message) => replyJson(status, { code: status, status: 'error', message }),
};

/** `{"streams":[{"stream":{…},"values":[["<ns>","<line>",{…}]]}]}`: a line a value. */
function readPush(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  const streams = json.member(json.onlyObject().start, 'streams');
  if (streams === undefined) throw new RefusedError(400, 'the body has no "streams"');
  for (const stream of json.elements(streams.start)) {
    const labels = json.member(stream.start, 'stream');
    const values = json.member(stream.start, 'values');
    if (labels === undefined || !json.isAt(labels.start, '{')) throw new RefusedError(400, 'a stream has no labels ("stream")');
    for (const value of values === undefined ? [] : json.elements(values.start)) {
      const [time, line, metadata] = json.elements(value.start);
      if (time === undefined || !NANOSECONDS.test(json.textOf(time)))
        throw new RefusedError(400, 'the time of a value is not a text of nanoseconds');
      if (line === undefined || !json.isAt(line.start, '"')) throw new RefusedError(400, 'a value has no line');
      const more = metadata === undefined || json.isEmptyObject(metadata.start) ? [] : [',"metadata":', metadata];
      lines.add('{"timestamp":', time, ',"labels":', labels, ',"line":', line, ...more, '}');
    }
  }
}

const STREAMS = 1;
const STREAM = { labels: 1, entries: 2 } as const;
const ENTRY = { timestamp: 1, line: 2, metadata: 3 } as const;
const TIMESTAMP = { seconds: 1, nanos: 2 } as const;
const PAIR = { name: 1, value: 2 } as const;

const NS_PER_SECOND = 1_000_000_000n;

/** The same lines from a `PushRequest` in Protobuf. */
async function readProtobuf(body: Buffer, lines: LineBuffer): Promise<void> {
  const { integerIn, lastValueIn, valuesIn } = await import('./protobuf.js');
  const textIn = (message: Buffer, wanted: number): Buffer => lastValueIn(message, wanted) ?? Buffer.alloc(0);
  for (const stream of valuesIn(body, STREAMS)) {
    const labels = formatLabels(textIn(stream, STREAM.labels).toString('latin1'));
    for (const entry of valuesIn(stream, STREAM.entries)) {
      const time = textIn(entry, ENTRY.timestamp);
      const nanoseconds = integerIn(time, TIMESTAMP.seconds) * NS_PER_SECOND + integerIn(time, TIMESTAMP.nanos);
      lines.put(`{"timestamp":"${String(nanoseconds)}","labels":`, labels, ',"line":"', textIn(entry, ENTRY.line));
      let before = '","metadata":{"';
      for (const pair of valuesIn(entry, ENTRY.metadata)) {
        lines.put(before, textIn(pair, PAIR.name), '":"', textIn(pair, PAIR.value));
        before = '","';
      }
      lines.add(before === '","' ? '"}}' : '"}');
    }
  }
}

/** A label of `{a="b", c="d"}`: its name, its value as Go and JSON quote it alike, and what follows. */
const LABEL =
  /\s*([A-Za-z_][\w.]*|"[^"\\\0-\x1f]*")\s*=\s*("(?:[^"\\\0-\x1f]|\\(?:["\\bfnrt]|u[\da-fA-F]{4}))*")\s*(,\s*\}?|\})/y;

/** Formats labels as JSON, in the order of the text. @param text a byte string @throws RefusedError */
function formatLabels(text: string): string {
  const members: string[] = [];
  let rest = /^\s*\{\s*\}?/.exec(text)?.[0] ?? '';
  for (LABEL.lastIndex = rest.length; rest !== '' && !rest.endsWith('}');) {
    const [, name = '', value = '', after = ''] = LABEL.exec(text) ?? [];
    rest = after;
    members.push(`${name.startsWith('"') ? name : `"${name}"`}:${value}`);
  }
  if (rest === '') throw new RefusedError(400, 'the labels of a stream are not of the form {name="value"}');
  return `{${members.join(',')}}`;
}
