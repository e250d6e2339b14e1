import { describe, expect, test } from '@jest/globals';
import { Backends } from '../../src/receive/backends.js';
import { LineBuffer } from '../../src/receive/lines.js';
import type { Reply, RequestHead } from '../../src/receive/protocols.js';
import { handle, HEAD, textOf } from '../support/backends.js';

const BULK = { path: '/_bulk' };
const LOKI = { path: '/loki/api/v1/push', type: 'application/json' };
const OTLP = { path: '/v1/logs', type: 'application/json' };
const EVENTS = { path: '/services/collector/event' };
const RAW = { path: '/services/collector/raw' };
const ACK = { path: '/services/collector/ack' };
const ACK_OF_A = { ...ACK, channel: 'a' };
const JSON_TYPE = { type: 'application/json' };
const TEXT_TYPE = { type: 'text/plain' };
const CURL_TYPE = { type: 'application/x-www-form-urlencoded' };
const SUCCESS = '{"text":"Success","code":0}';

/** Handles a body that is refused with 400, and nothing written. @returns the answer */
async function refusal(head: Partial<RequestHead>, body: string): Promise<unknown> {
  const { status, lines, body: answer } = await handle(head, body);
  expect({ status, lines }).toEqual({ status: 400, lines: '' });
  return JSON.parse(answer);
}

/** The answer to a question that a client asks beside events. */
function ask(path: string, rest: Partial<RequestHead> = {}): Reply | undefined {
  return new Backends().answer({ ...HEAD, method: 'GET', path, ...rest }, Buffer.alloc(0));
}

const NO_ACTION = 'line 1 is not an action "index" or "create"; nothing of the request is stored';
const NO_LF = 'The bulk request must be terminated by a newline [\\n]; with curl, send it by --data-binary';

/** Numbers, blanks, escapes, doubled names, and bytes that are not UTF-8. */
const ODD = ' { "a" : 1.00 ,"a":12345678901234567890,"b":"\xff\\u00e9\\/\xc5\xbc" } \n';

describe('Elasticsearch', () => {
  test.each<[string, Partial<RequestHead>, string, string, string]>([
    ['a bulk request', BULK, '{"index":{"_index":"x"}}\n{"a":1}\n{"create":{}}\n{"b":2}\n', '{"a":1}\n{"b":2}\n', 'index create'],
    ['of an index', { path: '/logs-1/_bulk' }, '{"create":{}}\n{"a":1}\n', '{"a":1}\n', 'create'],
    ['behind the path of a proxy', { path: '/a/b/_bulk' }, '{"create":{}}\n{"a":1}\n', '{"a":1}\n', 'create'],
    ['blank lines, as of rsyslog', BULK, '\n{"index":{}}\n{"a":1}\n\n{"index":{}}\n \r\n{}\n\n', '{"a":1}\n{}\n', 'index index'],
    ['CR LF', BULK, '{"index":{}}\r\n{"a":1}\r\n', '{"a":1}\n', 'index'],
    ['a document, byte for byte', BULK, `{"index":{}}\n${ODD}`, ODD, 'index'],
  ])('%s', async (_what, head, body, lines, actions) => {
    const items = actions.split(' ').map((action) => ({ [action]: { status: 201 } }));
    const { body: answer, ...rest } = await handle(head, body);
    expect(rest).toEqual({ status: 200, type: 'application/json', headers: ['X-Elastic-Product', 'Elasticsearch'], lines });
    expect(JSON.parse(answer)).toEqual({ took: 0, errors: false, items });
  });

  test('the answer to thousands of items names each', async () => {
    const { body: answer } = await handle(BULK, '{"index":{}}\n{}\n{"create":{}}\n{}\n'.repeat(2500));
    const pair = [{ index: { status: 201 } }, { create: { status: 201 } }];
    expect(JSON.parse(answer)).toEqual({ took: 0, errors: false, items: Array.from({ length: 2500 }, () => pair).flat() });
  });

  test.each([
    ['{"index":{}}\n{}\n{"delete":{}}\n', NO_ACTION.replace('1', '3')],
    ['{"update":{}}\n{}\n', NO_ACTION],
    ['{"a":1}\n{"a":1}\n', NO_ACTION],
    ['{"index":{},"create":{}}\n{}\n', NO_ACTION],
    ['{"index":1}\n{}\n', NO_ACTION],
    ['{"index":{}}\n{"a":1}', NO_LF],
    ['[]\n{}\n', 'line 1 is not an object'],
    ['{"index":{}}\n{"a":1}\n\n{"index":{}}\n', 'the action on line 4 has no document'],
    ['{"index":{}}\n{"a":1}{"b":1}\n', 'line 2 holds more than an object'],
    ['{"index":{}}\n{"a":\n1}\n', 'broken JSON at byte 19: it ends early'],
    ['', 'request body is required'],
    ['\n\n', 'request body is required'],
  ])('%j is refused, all of it', async (body, reason) => {
    const cause = { type: 'parse_exception', reason };
    expect(await refusal(BULK, body)).toEqual({ error: { root_cause: [cause], ...cause }, status: 400 });
  });

  test.each([
    ['/logs/_doc', 'logs', '1'],
    ['/logs/_doc/x7', 'logs', 'x7'],
    ['/logs/_create/x7', 'logs', 'x7'],
  ])('a document of %s; an LF between its values becomes a space', async (path, index, id) => {
    const { status, lines, body } = await handle({ path }, '{"a":\n1.0}\n');
    expect({ status, lines }).toEqual({ status: 201, lines: '{"a": 1.0}\n' });
    expect(JSON.parse(body)).toMatchObject({ _index: index, _id: id, result: 'created' });
  });

  test.each(['', '[]', '{}{}', '{'])('%j is no document', async (body) => {
    expect(await handle({ path: '/logs/_doc' }, body)).toMatchObject({ status: 400, lines: '' });
  });

  const V9 = 'application/vnd.elasticsearch+json; compatible-with=9';

  test.each([
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/x-ndjson', 'application/x-ndjson'],
    [V9, V9],
    ['application/vnd.elasticsearch+x-ndjson;compatible-with=8', 'application/vnd.elasticsearch+x-ndjson;compatible-with=8'],
    [`${V9},text/plain`, V9],
    ['text/plain, application/json', 'application/json'],
    ['text/html\u0000<x>', 'application/json'],
  ])('Accept: %j is answered as %j', async (accept, type) => {
    expect((await handle({ ...BULK, accept }, '{"index":{}}\n{}\n')).type).toBe(type);
    expect((await handle({ ...BULK, accept }, '')).type).toBe(type);
    expect(ask('/', { accept })?.type).toBe(type);
  });

  test.each<[string, Partial<RequestHead>, string | RegExp]>([
    ['/', {}, /"tagline":"You Know, for Search"/],
    ['/_cluster/health', {}, /"status":"green"/],
    ['/_cat/health', {}, /^\d+ \S+ webmail-diaglog green .*\n$/],
    ['/_cat/health', { query: 'v&format=json' }, /"status":"green"/],
    ['/_cat/indices', { accept: V9 }, '[]'],
    ['/_cat/indices', {}, ''],
    ['/_license', { query: 'human=false' }, /"license":.*"status":"active"/],
    ['/_xpack', {}, /"license":.*"mode":"basic".*"ilm":{"available":true/],
    ['/services/collector/health', {}, '{"text":"HEC is healthy","code":17}'],
    ['/ready', {}, 'ready\n'],
  ])('answers %s %j as a healthy backend', (path, head, answer) => {
    const reply = ask(path, head);
    expect(reply).toMatchObject({ status: 200, type: expect.stringMatching(/^(?:text|application)\//) });
    expect(textOf(reply)).toEqual(typeof answer === 'string' ? answer : expect.stringMatching(answer));
  });

  test('takes templates and policies, and has none', () => {
    const path = '/_index_template/filebeat';
    expect(ask(path)).toMatchObject({ status: 404, headers: ['X-Elastic-Product', 'Elasticsearch'] });
    expect(textOf(ask(path))).toContain('"type":"resource_not_found_exception"');
    expect(ask(path, { method: 'POST' })).toMatchObject({ status: 200, body: '{"acknowledged":true}' });
    for (const events of ['/_bulk', '/logs/_bulk', '/logs/_doc/1']) expect(ask(events, { method: 'POST' })).toBeUndefined();
    for (const other of ['/services/collector/event', '/loki/api/v1/push', '/logs', '/logs/_doc/1'])
      expect(ask(other)).toBeUndefined();
  });
});

const logs = (resource: string, ...records: string[]): string =>
  `{"resourceLogs":[{${resource}"scopeLogs":[{"scope":{"name":"x"},"logRecords":[${records.join(',')}]}]}]}`;

test.each<[string, Partial<RequestHead>, string, string]>([
  [
    'Loki: values, with labels and metadata',
    LOKI,
    '{"streams":[{"stream":{"app":"webmail"},"values":[["1747562400000000001","a"],["2","b",{"id":"7"}],["3","c",{}]]}]}',
    '{"timestamp":"1747562400000000001","labels":{"app":"webmail"},"line":"a"}\n' +
      '{"timestamp":"2","labels":{"app":"webmail"},"line":"b","metadata":{"id":"7"}}\n' +
      '{"timestamp":"3","labels":{"app":"webmail"},"line":"c"}\n',
  ],
  [
    'Loki: several streams, members in any order, bytes that are not UTF-8',
    LOKI,
    '{"streams":[{"values":[["1","\xff\\n"]],"stream":{}},\n{"stream":{"b":\n"2"},"values":[["1",""]]},{"stream":{}}]}',
    '{"timestamp":"1","labels":{},"line":"\xff\\n"}\n{"timestamp":"1","labels":{"b": "2"},"line":""}\n',
  ],
  ['Loki: none', LOKI, '{"streams":[]}', ''],
  [
    'OTLP: a record and its resource',
    OTLP,
    logs('"resource":{"attributes":[]},', '{"body":{"stringValue":"a"}}'),
    '{"body":{"stringValue":"a"},"resource":{"attributes":[]}}\n',
  ],
  ['OTLP: no resource', OTLP, logs('', '{"body":1.50}', '{}'), '{"body":1.50}\n{}\n'],
  ['OTLP: an empty record', OTLP, logs('"resource":{},', '{ }'), '{ "resource":{}}\n'],
  [
    'OTLP: several requests in a body, as parse --as otel writes them',
    OTLP,
    `${logs('"resource":{"a":1},', '{"b":1}')}\n${logs('"resource":{"a":2},', '{"b":2}')}\n`,
    '{"b":1,"resource":{"a":1}}\n{"b":2,"resource":{"a":2}}\n',
  ],
  ['OTLP: no records', OTLP, '{"resourceLogs":[{"scopeLogs":[]},{}]}{}', ''],
  ['Splunk: an event', EVENTS, '{"time":1.50,"event":"a"}', '{"time":1.50,"event":"a"}\n'],
  ['Splunk: on the short path', { path: '/services/collector' }, '{"event":{"b":1}}', '{"event":{"b":1}}\n'],
  [
    'Splunk: several, with and without LF between',
    EVENTS,
    '{"event":"a"}{"event":"b"}\n\n{"event":\n"c"}',
    '{"event":"a"}\n{"event":"b"}\n{"event": "c"}\n',
  ],
  [
    'Splunk: raw lines',
    RAW,
    'a\n\tb "c" \\ \xff\r\n\nlast',
    '{"message":"a"}\n{"message":"\\tb \\"c\\" \\\\ \xff\\r"}\n{"message":""}\n{"message":"last"}\n',
  ],
  ['NDJSON', { type: 'application/x-ndjson' }, '{"a":1.0}\n{"b":2}\n', '{"a":1.0}\n{"b":2}\n'],
  ['an array', JSON_TYPE, '[{"a":1},\n{"b":2}]', '{"a":1}\n{"b":2}\n'],
  ['an object over several lines', JSON_TYPE, '{\n"a": 1\n}\n', '{ "a": 1 }\n'],
  ['an empty array', JSON_TYPE, '[]', ''],
  ['JSON of a vendor', { type: 'application/vnd.x+json' }, '{"a":1}', '{"a":1}\n'],
  ['an object of no type', {}, ' {"a":1}', '{"a":1}\n'],
  ['an array of the type of curl -d', CURL_TYPE, '[ {"a":1}]', '{"a":1}\n'],
  ['text', TEXT_TYPE, 'a\nb', '{"message":"a"}\n{"message":"b"}\n'],
  ['text that could be JSON', TEXT_TYPE, '{"a":1}\n', '{"message":"{\\"a\\":1}"}\n'],
  ['a log of no type', {}, '[18-May-2025 12:00:00 +0200]: x\n', '{"message":"[18-May-2025 12:00:00 +0200]: x"}\n'],
  ['a log of the type of curl -d', CURL_TYPE, '[18-May', '{"message":"[18-May"}\n'],
  ['nothing', {}, '', ''],
  ['nothing as JSON', JSON_TYPE, '', ''],
])('%s', async (_what, head, body, lines) => {
  const { status, type, body: answer, lines: written } = await handle({ path: '/logs', ...head }, body);
  const text = { [LOKI.path]: '', [EVENTS.path]: SUCCESS, [RAW.path]: SUCCESS, '/services/collector': SUCCESS }[head.path ?? ''];
  expect({ status, type, answer, written }).toEqual({
    status: head === LOKI ? 204 : 200,
    type: 'application/json',
    answer: text ?? '{}',
    written: lines,
  });
});

/** Bodies that are refused, the message, and the code that the backend gives. */
const REFUSED: readonly (readonly [Partial<RequestHead>, string, string, number])[] = [
  [LOKI, '', 'the body is not an object', 400],
  [LOKI, '{}', 'the body has no "streams"', 400],
  [LOKI, '{"streams":{}}', 'broken JSON at byte 12: an array was expected', 400],
  [LOKI, '{"streams":[{"values":[]}]}', 'a stream has no labels ("stream")', 400],
  [LOKI, '{"streams":[{"stream":{},"values":[["1","a"],["1"]]}]}', 'a value has no line', 400],
  ...['["now","a"]', '[1747562400000000000,"a"]', '[]'].map(
    (value) =>
      [LOKI, `{"streams":[{"stream":{},"values":[${value}]}]}`, 'the time of a value is not a text of nanoseconds', 400] as const,
  ),
  [LOKI, '{"streams":[{"stream":{},"values":[["1","a",7]]}]}', 'broken JSON at byte 45: an object was expected', 400],
  [LOKI, '{"streams":[', 'broken JSON at byte 13: it ends early', 400],
  [OTLP, '', 'the body is empty', 3],
  [OTLP, `${logs('', '{"a":1}')}{"resourceLogs":`, 'broken JSON at byte 97: it ends early', 3],
  [OTLP, logs('', '1'), 'broken JSON at byte 68: an object was expected', 3],
  [EVENTS, '', 'No data', 5],
  [EVENTS, ' \n', 'No data', 5],
  [RAW, '', 'No data', 5],
  [EVENTS, '{"event":"a"}{"time":1}', 'Event field is required', 12],
  [EVENTS, '{"event":"a"}{', 'broken JSON at byte 15: a text was expected', 6],
  [ACK, '{"acks":[0]}', 'Data channel is missing', 10],
  [ACK_OF_A, '{"acks":', 'broken JSON at byte 9: it ends early', 6],
  [ACK_OF_A, '{}', 'the body has no "acks"', 6],
  [ACK_OF_A, '{"acks":0}', 'broken JSON at byte 9: an array was expected', 6],
  [JSON_TYPE, '{"a":1}\n{"b":', 'broken JSON at byte 14: it ends early', 400],
  [{ type: 'application/x-ndjson' }, 'text', 'broken JSON at byte 1: a value was expected', 400],
  [JSON_TYPE, '[{"a":1},2]', 'a value that is not an object at byte 10', 400],
];

test.each(REFUSED)('%j %j is refused, all of it', async (head, body, message, code) => {
  const coded = head === LOKI || head === OTLP ? { code, message } : { code, text: message };
  const rest = head === LOKI ? { status: 'error' } : {};
  const answer = head.path === undefined ? { status: code, error: message } : { ...coded, ...rest };
  expect(await refusal({ path: '/logs', ...head }, body)).toEqual(answer);
});

test('acknowledgements of Splunk are numbered in each channel, by header or query, and given once', async () => {
  const backends = new Backends();
  const send = async (head: Partial<RequestHead>): Promise<unknown> =>
    JSON.parse((await handle({ ...EVENTS, ...head }, '{"event":"a"}', backends)).body);
  const acks = (head: Partial<RequestHead>, body: string): string =>
    textOf(backends.answer({ ...HEAD, ...ACK, ...head }, Buffer.from(body)));
  // No number is given for a request that did not stand.
  backends.protocolOf(EVENTS.path).read(Buffer.from('a'), new LineBuffer(), { ...HEAD, ...RAW, channel: 'a' });
  expect(await send({ channel: 'a' })).toEqual({ text: 'Success', code: 0, ackId: 0 });
  expect(await send({ query: 'channel=a' })).toMatchObject({ ackId: 1 });
  expect(await send({ channel: 'b' })).toMatchObject({ ackId: 0 });
  expect(acks({ query: 'x=1&channel=a' }, '{"acks":[1,2]}')).toBe('{"acks":{"1":true,"2":false}}');
  expect(acks({ channel: 'a' }, '{"acks": [0.0, "0", 0, 0, 1]}')).toBe(
    '{"acks":{"0":true,"1":false,"0.0":false,"\\"0\\"":false}}',
  );
  expect(acks({ channel: 'c' }, '{"acks":[0,null]}')).toBe('{"acks":{"0":false,"null":false}}');
});

test('OPTIONS below /services/collector is answered, as the driver of Docker asks', () => {
  for (const path of ['/services/collector/event/1.0', '/services/collector', '/logs'])
    expect(ask(path, { method: 'OPTIONS' })?.status).toBe(path === '/logs' ? undefined : 200);
});

test.each([
  ['/logs', 'application/msgpack'],
  ['/logs', 'application/cbor'],
  ['/logs', 'application/octet-stream'],
  ['/logs', 'application/x-protobuf'],
  ['/_bulk', 'application/vnd.msgpack'],
  ['/v1/logs', 'application/msgpack'],
  ['/services/collector/raw', 'application/octet-stream'],
])('%s %s is refused with a remedy', async (path, type) => {
  const { status, lines, body } = await handle({ path, type }, '\x92\xce');
  expect({ status, lines }).toEqual({ status: 415, lines: '' });
  expect(body).toContain('have the client send JSON');
});
