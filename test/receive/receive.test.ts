import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { CallError, ReaderGoneError, StoppedError } from '../../src/errors.js';
import { nameFlag } from '../../src/cli/messages.js';
import { MAX_BODY_BYTES, MAX_HELD_BYTES, readBody, RefusedError } from '../../src/receive/bodies.js';
import type { FailureOptions } from '../../src/receive/failures.js';
import { MAX_IN_HAND, receive, type ReceiveOptions } from '../../src/receive/receive.js';
import { piecesOf } from '../../src/receive/lines.js';
import { HeldOutput, holdOutput } from '../support/held-output.js';
import { statusesOf } from '../support/http.js';
import { startService, type RunningService } from '../support/service.js';
import { until } from '../support/until.js';

interface Service extends RunningService {
  readonly output: HeldOutput;
  readonly messages: readonly string[];
  /** Sends one request and gives the whole answer. */
  readonly post: (path: string, body: string, headers?: string) => Promise<string>;
}

const CLOSE = 'Connection: close\r\n';
const GZIP = 'Content-Encoding: gzip\r\n';
const PACKED = gzipSync('{"a":1}').toString('latin1');
const BOMB = gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1), { level: 1 }).toString('latin1');
const BULK = '{"index":{}}\n{}\n';

/** A request with a body; a byte string. */
function formatPost(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${String(body.length)}\r\n\r\n${body}`;
}

async function start(output = new HeldOutput([], true, 'line'), given: Partial<ReceiveOptions> = {}): Promise<Service> {
  const messages: string[] = [];
  const options: Omit<ReceiveOptions, 'onListening'> = {
    ...{ host: '127.0.0.1', port: 0, maxFileBytes: Infinity, tcp: [], udp: [], nameOption: nameFlag },
    ...{ fail: 0, failItems: 0, loseAnswer: 0, seed: 1 },
    warn: (message) => messages.push(message),
    ...given,
  };
  const service = await startService((onListening, signal) => receive({ ...options, onListening }, output, signal));
  const post = (path: string, body: string, headers = ''): Promise<string> =>
    service.send(formatPost(path, body, `${headers}${CLOSE}`)).answer;
  return { ...service, output, messages, post };
}

function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}

describe('a request that carries events', () => {
  test('is answered once its lines stand', async () => {
    const { output, letGo } = holdOutput('line');
    const { send, post } = await start(output);
    const { socket, answer } = send(formatPost('/x', '{"a":1}', CLOSE));
    // Another connection's answer has come; this one's has not.
    await post('/x', '{"a"');
    expect(socket.bytesRead).toBe(0);
    letGo();
    expect(statusesOf(await answer)).toEqual([200]);
    expect(output.writes).toEqual(['{"a":1}\n']);
  });

  test('on a connection with others, sent before their answers: lines and answers keep their order', async () => {
    const { send, output } = await start();
    const requests = [
      formatPost('/x', '{"a":0}'),
      formatPost('/x', PACKED, GZIP),
      formatPost('/x', '{"a"'),
      formatPost('/_bulk', BULK),
      formatPost('/x', '{"a":4}', CLOSE),
    ];
    const answer = await send(requests.join('')).answer;
    expect(statusesOf(answer)).toEqual([200, 200, 400, 200, 200]);
    expect(output.writes.join('')).toBe('{"a":0}\n{"a":1}\n{}\n{"a":4}\n');
  });

  test('on many connections at once: the lines of each request stay together', async () => {
    const { post, output } = await start();
    const bodies = Array.from({ length: 100 }, (_, n) => [0, 1, 2].map((i) => `{"n":${String(n)},"i":${String(i)}}\n`).join(''));
    const answers = await Promise.all(bodies.map((body) => post('/x', body)));
    expect(answers.flatMap(statusesOf)).toEqual(bodies.map(() => 200));
    const written = output.writes.join('');
    expect(written).toHaveLength(bodies.join('').length);
    for (const body of bodies) expect(written).toContain(body);
  });

  test('may be large: its lines are one write', async () => {
    const { post, output } = await start();
    const body = '{"a":"0123456789"}\n'.repeat(10_000);
    expect(statusesOf(await post('/x', body))).toEqual([200]);
    expect(output.writes).toEqual([body]);
    expect(output.written).toBe(10_000);
  });

  test('may come in chunks of a byte', async () => {
    const { send, output } = await start();
    const body = '{"message":"text"}\n'.repeat(400);
    const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('');
    const head = 'POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(statusesOf(await send(`${head}${chunks}0\r\n\r\n`).answer)).toEqual([200]);
    expect(output.writes.join('')).toBe(body);
  });

  test.each(['gzip', 'GZIP', 'x-gzip', 'identity'])('may be encoded: %s', async (encoding) => {
    const { post, output } = await start();
    const body = encoding === 'identity' ? '{"a":1}' : PACKED;
    expect(statusesOf(await post('/x', body, `Content-Encoding: ${encoding}\r\n`))).toEqual([200]);
    expect(output.writes).toEqual(['{"a":1}\n']);
  });

  test.each(['', 'snappy', 'gzip'])("may be Loki's Protobuf, packed with Snappy: Content-Encoding %j", async (encoding) => {
    const { post, output } = await start();
    const push = Buffer.from('\n\x0f\n\x07{a="b"}\x12\x04\n\0\x12\0', 'latin1');
    // A block of one literal.
    const block = Buffer.concat([Buffer.from([push.length, (push.length - 1) << 2]), push]);
    const body = (encoding === 'gzip' ? gzipSync(block) : block).toString('latin1');
    const headers = `Content-Type: application/x-protobuf\r\n${encoding === '' ? '' : `Content-Encoding: ${encoding}\r\n`}`;
    expect(statusesOf(await post('/loki/api/v1/push', body, headers))).toEqual([204]);
    expect(output.writes).toEqual(['{"timestamp":"0","labels":{"a":"b"},"line":""}\n']);
  });

  test('may come by PUT, with a query and a slash at the end of the path', async () => {
    const { send, output } = await start();
    const request = formatPost('/logs/_bulk/?filter_path=errors', '{"index":{}}\n{"a":1}\n', CLOSE);
    expect(statusesOf(await send(request.replace('POST', 'PUT')).answer)).toEqual([200]);
    expect(output.writes).toEqual(['{"a":1}\n']);
  });
});

describe('what is refused, with nothing written', () => {
  test.each([
    ['DELETE /x', 405],
    ['GET /x', 405],
    ['OPTIONS *', 405],
    ['CONNECT h:1', 405],
    ['HEAD /x', 405],
    ['GET /_bulk', 405],
    ['HEAD /services/collector/ack', 405],
    ['DELETE /services/collector/ack', 405],
    ['get /', 400],
  ])('%s: %i', async (line, status) => {
    const { send, output } = await start();
    const answer = await send(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).answer;
    expect(statusesOf(answer)).toEqual([status]);
    expect(answer.includes('\r\nAllow: POST, PUT\r\n')).toBe(status === 405);
    expect(output.writes).toEqual([]);
  });

  test.each([
    ['an encoding that is not known', formatPost('/x', '{}', 'Content-Encoding: zstd\r\n'), 415],
    ['gzip that is cut', formatPost('/x', PACKED.slice(0, -9), GZIP), 400],
    ['gzip that is none', formatPost('/x', '{"a":1}', GZIP), 400],
    ['a bomb of gzip', formatPost('/x', BOMB, GZIP), 413],
    ['garbage', '\x00\x01garbage\r\n\r\n', 400],
  ])('%s', async (_what, bytes, status) => {
    const { send, output } = await start();
    const { socket, answer } = send(bytes);
    await once(socket, 'data');
    socket.end();
    expect(statusesOf(await answer)).toEqual([status]);
    expect(output.writes).toEqual([]);
  });

  test.each([
    ['chunks that are broken', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n{"a":1}\r\n0\r\n\r\n', 400],
    ['a body that ends early', 'Content-Length: 20\r\n\r\n{"a":1}', 400],
    ['a chunk extension of 20 kB', `Transfer-Encoding: chunked\r\n\r\n7;${'a'.repeat(20_000)}\r\n{"a":1}\r\n0\r\n\r\n`, 413],
  ])('%s, behind a request that is whole', async (_what, rest, status) => {
    const { send, output } = await start();
    const { socket, answer } = send(`${formatPost('/x', '{"a":1}')}POST /x HTTP/1.1\r\nHost: x\r\n${rest}`);
    socket.end();
    expect(statusesOf(await answer)).toEqual([200, status]);
    expect(output.writes).toEqual(['{"a":1}\n']);
  });

  test('a body that is announced as too large; the rest is read, so that its client gets to read the answer', async () => {
    const { send, output } = await start();
    const length = MAX_BODY_BYTES + 100_000;
    const { socket, answer } = send(
      `POST /_bulk HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${String(length)}\r\n\r\n`,
    );
    await once(socket, 'data');
    const block = Buffer.alloc(100_000);
    for (let sent = 0; sent < length; sent += Math.min(block.length, length - sent))
      if (!socket.write(block.subarray(0, length - sent))) await once(socket, 'drain');
    const said = await answer;
    expect(statusesOf(said)).toEqual([413]);
    expect(said).toContain('X-Elastic-Product: Elasticsearch');
    expect(bodyOf(said)).toContain('a body may have 64 MiB at most, unpacked');
    expect(output.writes).toEqual([]);
  });

  test('lines that would grow beyond all bounds', async () => {
    const { post, output } = await start();
    const labels = `{"a":"${'x'.repeat(200_000)}"}`;
    const values = Array.from({ length: 1000 }, () => '["1","x"]').join(',');
    const answer = await post('/loki/api/v1/push', `{"streams":[{"stream":${labels},"values":[${values}]}]}`);
    expect(statusesOf(answer)).toEqual([413]);
    expect(output.writes).toEqual([]);
  });
});

test('bodies that are held together are bounded', async () => {
  const held = { bytes: MAX_HELD_BYTES - 2 };
  const read = (body: string): Promise<unknown> => {
    const request = new IncomingMessage(new Socket());
    request.push(body);
    request.push(null);
    return readBody(request, held).then(String, (error: unknown) => error);
  };
  const refusal = new RefusedError(429, 'the bodies that are waiting take more than 256 MiB; send again later');
  expect([await read('abc'), await read('ab'), await read('c')]).toEqual([refusal, 'ab', refusal]);
  expect(held.bytes).toBe(MAX_HELD_BYTES);
});

test('a write that is refused is answered with 503 in the form of the backend; then it goes on', async () => {
  const refusal = { standing: 0, error: new CallError({ source: 'r.ndjson' }, 'no space left on the device', 'free some space') };
  const { post, output } = await start(new HeldOutput([refusal], true, 'line'));
  const answer = await post('/_bulk', '{"index":{}}\n{"a":1}\n');
  expect(statusesOf(answer)).toEqual([503]);
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ status: 503, error: { type: 'unavailable_shards_exception' } });
  expect(statusesOf(await post('/x', '{"a":2}'))).toEqual([200]);
  expect(output.writes.join('')).toBe('{"a":2}\n');
});

test('the reader of the output goes away: the service ends', async () => {
  const error = new ReaderGoneError('the reader went away');
  const { post, end } = await start(new HeldOutput([{ standing: 0, error }], false, 'line'));
  const ending = expect(end).rejects.toEqual(new StoppedError(error, 0, undefined, 'line'));
  expect(statusesOf(await post('/x', '{"a":1}'))).toEqual([503]);
  await ending;
});

describe('failures on purpose', () => {
  const BODIES = Array.from({ length: 200 }, (_, n) => `{"n":${String(n)}}`);

  /** The statuses of requests one after the other; 0 where no answer came. */
  async function statuses(service: Service): Promise<number[]> {
    const all: number[] = [];
    for (const body of BODIES) all.push(statusesOf(await service.post('/x', body))[0] ?? 0);
    return all;
  }

  test('by seed: documents of bulk requests that are refused are named, and not stored', async () => {
    const given = { failItems: 0.3, seed: 7 };
    const documents = Array.from({ length: 3000 }, (_, n) => `{"n":${String(n)}}`);
    const body = documents.map((document) => `{"create":{}}\n${document}\n`).join('');
    const first = await start(undefined, given);
    const answer = bodyOf(await first.post('/_bulk', body));
    const errors = answer.includes('"errors":true');
    const items = Array.from(answer.matchAll(/"status":(\d+)/g), ([, status]) => Number(status));
    const stored = documents.filter((_, n) => items[n] === 201);
    expect(errors).toBe(true);
    expect(new Set(items)).toEqual(new Set([201, 429]));
    expect(Math.round(stored.length / 300)).toBe(7);
    expect(first.output.writes.join('')).toBe(stored.map((document) => `${document}\n`).join(''));
    expect(bodyOf(await (await start(undefined, given)).post('/_bulk', body))).toBe(answer);
    await first.stop();
    const refused = String(3000 - stored.length);
    expect(first.messages).toEqual([`of 3000 documents in bulk requests, ${refused} got a 429 on purpose (--fail-items)`]);
  });

  test('no document may be left', async () => {
    const { post, output } = await start(undefined, { failItems: 1 });
    const answer = await post('/_bulk', BULK);
    expect(statusesOf(answer)).toEqual([200]);
    const error = '"error":{"type":"es_rejected_execution_exception","reason":"refused on purpose; send again later"}';
    expect(bodyOf(answer)).toBe(`{"took":0,"errors":true,"items":[{"index":{"status":429,${error}}}]}`);
    expect(output.writes).toEqual([]);
  });

  test.each<[Partial<FailureOptions>, string, string, string]>([
    [{}, '/_bulk', 'application/json', '{"error":{"root_cause":['],
    [{ failBody: 'html' }, '/_bulk', 'text/html', '<html>\n<head><title>503 Service Unavailable<'],
    [{ failBody: 'empty' }, '/_bulk', 'application/json', ''],
    [{ failStatus: '413' }, '/_bulk', 'application/json', '{"error":{"root_cause":[{"type":"content_too_long'],
    [{ failStatus: '429' }, '/v1/logs', 'application/json', '{"code":8,"message":"unavailable on purpose; send again later"}'],
    [{ failStatus: '504' }, '/services/collector', 'application/json', '{"text":"unavailable on purpose; send'],
  ])('the answer to a request that fails: %j %s', async (given, path, type, beginning) => {
    const { post, stop, messages } = await start(undefined, { fail: 1, ...given });
    const otlp = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}';
    const answer = await post(path, { '/_bulk': BULK, '/v1/logs': otlp }[path] ?? '{"event":1}');
    const { failStatus = '503' } = given;
    expect(statusesOf(answer)).toEqual([Number(failStatus)]);
    expect(answer).toContain(`Content-Type: ${type}\r\n${path === '/_bulk' ? 'X-Elastic-Product: Elasticsearch\r\n' : ''}`);
    expect(bodyOf(answer).slice(0, beginning.length || 1)).toBe(beginning);
    await stop();
    expect(messages[0]).toContain(`1 got a ${failStatus} on purpose (--fail)`);
  });

  test('by seed: requests with a 503 are not stored, those without an answer are', async () => {
    const given = { fail: 0.3, loseAnswer: 0.2, seed: 7 };
    const first = await start(undefined, given);
    const got = await statuses(first);
    const stored = BODIES.filter((_, n) => got[n] !== 503);
    expect(first.output.writes.join('')).toBe(stored.map((body) => `${body}\n`).join(''));
    const failed = got.filter((status) => status === 503).length;
    const lost = got.filter((status) => status === 0).length;
    expect([failed, lost].map((count) => Math.round(count / 20))).toEqual([3, 2]);
    expect(await statuses(await start(undefined, given))).toEqual(got);
    expect(await statuses(await start(undefined, { ...given, seed: 8 }))).not.toEqual(got);
    await first.stop();
    expect(first.messages).toEqual([
      `of 200 requests with events, ${String(failed)} got a 503 on purpose (--fail), ${String(lost)} got no answer (--lose-answer)`,
    ]);
  });

  test('concern no request without events, and none that is refused', async () => {
    const { send, post } = await start(undefined, { fail: 1 });
    expect(statusesOf(await send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').answer)).toEqual([200]);
    expect(statusesOf(await post('/x', '[]'))).toEqual([200]);
    expect(statusesOf(await post('/x', '{"a"'))).toEqual([400]);
  });

  test('an answer that is lost closes the connection behind the answers before it', async () => {
    const { send, output } = await start(undefined, { loseAnswer: 1 });
    const answer = await send('GET / HTTP/1.1\r\nHost: x\r\n\r\n' + formatPost('/x', '{"a":1}')).answer;
    expect(statusesOf(answer)).toEqual([200]);
    expect(output.writes).toEqual(['{"a":1}\n']);
  });
});

test('of a client that sends thousands of requests before the first answer, so many wait; the service ends', async () => {
  const { send, output, stop } = await start(undefined, { delay: 3_600_000 });
  const { answer } = send(formatPost('/x', '{"a":1}').repeat(20_000));
  await until(() => output.written >= MAX_IN_HAND);
  expect(output.written).toBe(MAX_IN_HAND);
  await stop();
  expect(statusesOf(await answer)).toEqual([200]);
});

describe('its end', () => {
  test('requests that have arrived are answered, others are not waited for', async () => {
    const { output, letGo } = holdOutput('line');
    const { send, post, stop } = await start(output);
    const silent = send('');
    const half = send('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"half":');
    const whole = [send(formatPost('/x', '{"a":1}')), send(formatPost('/_bulk', '{"index":{}}\n{"a":2}\n'))];
    // What was sent on connections before this one has been read when this one is answered.
    await post('/x', '{"a"');
    const stopped = stop();
    letGo();
    await stopped;
    const answers = await Promise.all(whole.map(({ answer }) => answer));
    expect(answers.map(statusesOf)).toEqual([[200], [200]]);
    expect(answers[0]).toContain(CLOSE);
    expect(await Promise.all([silent.answer, half.answer])).toEqual(['', '']);
    expect(output.writes.join('').split('\n').sort()).toEqual(['', '{"a":1}', '{"a":2}']);
  });

  test('a client that does not take its answer does not keep it from ending', async () => {
    const { send, output, stop } = await start();
    const { socket } = send(formatPost('/_bulk', BULK.repeat(200_000)));
    socket.pause();
    while (output.writes.length === 0) await new Promise(setImmediate);
    await stop();
    expect(output.written).toBe(200_000);
  });
});

test.each([
  [14, [14]],
  [13, [7, 14]],
  [5, [5, 7, 14]],
  [4, [2, 5, 7, 14]],
  [1, [2, 5, 7, 14]],
])('the lines of a request in pieces of %i bytes at most end at %j', (maxPieceBytes, ends) => {
  const pieces = Array.from(piecesOf(Buffer.from('a\nbc\nd\nefghij\n'), maxPieceBytes));
  let end = 0;
  expect(pieces.map(({ bytes }) => (end += bytes.length))).toEqual(ends);
  expect(pieces.reduce((sum, { count }) => sum + count, 0)).toBe(4);
});
