import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { ECS } from '../../src/export/ecs.js';
import { DOCUMENTS, type DocumentFormName } from '../../src/export/forms.js';
import { OTEL } from '../../src/export/otel.js';
import { RECORDS } from '../../src/export/record-json.js';
import type { LoggedRecord } from '../../src/reading/logged-lines.js';
import { deployment, request } from '../support/arbitraries.js';
import { PROJECT } from '../support/run.js';

/** The names in the tables of docs/ecs-and-opentelemetry.md. */
const DOCUMENTED = new Set(
  Array.from(readFileSync(join(PROJECT, 'docs/ecs-and-opentelemetry.md'), 'utf8').matchAll(/`([\w.@]+)`/g), ([, name]) => name),
);

const SECOND = 1_747_562_400;
const SITE = createDeployment({ plugins: ['a'], installRoot: '/r' });

/** The records of a group; all of them name the same second. */
function recordsOf(log: string): LoggedRecord[] {
  return log
    .split('\n')
    .slice(0, -1)
    .map((text, index) => {
      const record = parseRecord(text);
      if (record === undefined) throw new Error('no record');
      return { record, line: index + 1, text, group: 3, second: SECOND };
    });
}

function groupOf(target: string, method = 'GET'): string {
  return formatGroup({ millisecond: SECOND * 1000, method, target }, SITE);
}

/** The first record of a group. */
function firstRecord(target: string, method?: string): LoggedRecord {
  const [record] = recordsOf(groupOf(target, method));
  if (record === undefined) throw new Error('no record');
  return record;
}

/** The fields of a document by their dotted names; a list is one value. */
function flatten(value: unknown, name = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name === '' ? key : `${name}.${key}`));
}

interface LogRecordJson {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly [field: string]: unknown;
}

/** The one log record of a request to export, its attributes by their keys. */
function openRequest(line: string): Record<string, unknown> {
  const parse: (json: string) => { resourceLogs: [{ scopeLogs: [{ logRecords: [LogRecordJson] }] }] } = JSON.parse;
  const { attributes, ...fields } = parse(line).resourceLogs[0].scopeLogs[0].logRecords[0];
  return { ...fields, ...Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])) };
}

const ecsOf = (record: LoggedRecord): Record<string, unknown> =>
  Object.fromEntries(flatten(JSON.parse(ECS.format(record, { line: record.line, source: undefined }))));
const otelOf = (record: LoggedRecord): Record<string, unknown> =>
  openRequest(OTEL.format(record, { line: record.line, source: undefined }));

const FORMS = [
  ['ecs', ecsOf, 'event.original'],
  ['otel', otelOf, 'log.record.original'],
] as const;

// Golden digests of all documents of the captures are in test/golden.test.ts.
test('ecs: an instant that is not known is not there, nor is the number of a group that lacks a record', () => {
  const fields = ecsOf({ ...firstRecord('/'), group: undefined, second: undefined });
  expect(Object.keys(fields).filter((name) => ['@timestamp', 'webmail_diaglog.group'].includes(name))).toEqual([]);
});

test.each<[DocumentFormName, string]>([
  ['records', '"utc_offset":"+0200","session_id":"m050aivd","runtime_tag":"PHP"'],
  ['ecs', '"labels":{"session_id":"m050aivd"}'],
  ['otel', '{"key":"session.id","value":{"stringValue":"m050aivd"}}'],
])('--as %s shows the session id of a load failure, and nothing where there is none', (name, shown) => {
  const logs = ['', '<m050aivd> '].map((session) => groupOf('/').replace(']: ', `]: ${session}`));
  const [without, withId] = logs.map((log) =>
    recordsOf(log).map((record) => DOCUMENTS[name].form.format(record, { line: 1, source: undefined })),
  );
  expect(withId?.[0]).toContain(shown);
  expect(without?.[0]).not.toMatch(/session[._]id/);
});

describe('records', () => {
  const fieldsOf = (record: LoggedRecord): unknown => JSON.parse(RECORDS.format(record, { line: 1, source: undefined }));

  test('a target that is no UTF-8 has U+FFFD in it, and its bytes beside it', () => {
    expect(fieldsOf(firstRecord('/\xff'))).toMatchObject({ request_target: '/\ufffd', request_target_base64: 'L/8=' });
    expect(fieldsOf(firstRecord('/\xc5\xbc'))).not.toHaveProperty('request_target_base64');
  });

  test.each([
    [undefined, null],
    [-62_167_219_200 - 356_400, '-000001-12-27T21:00:00Z'],
    [253_402_300_799 + 359_940, '+010000-01-05T03:58:59Z'],
  ])('the instant of second %p; no group is null', (second, instant) => {
    expect(fieldsOf({ ...firstRecord('/'), second, group: undefined })).toMatchObject({ instant, group: null });
  });
});

describe('otel', () => {
  test('a method that the conventions do not know is _OTHER, with its name beside it', () => {
    const record = firstRecord('/', 'PROPFIND');
    expect(otelOf(record)).toMatchObject({ 'http.request.method': '_OTHER', 'http.request.method_original': 'PROPFIND' });
  });

  test.each([
    [undefined, undefined],
    [-1, undefined],
    [0, undefined],
    [1, '1000000000'],
    [18_446_744_073, '18446744073000000000'],
    [18_446_744_074, undefined],
  ])('the time of second %p: 64 bits without a sign, or none', (second, time) => {
    const record = firstRecord('/');
    expect(otelOf({ ...record, second })['timeUnixNano']).toBe(time);
  });
});

test.each([
  ['/a', { path: '/a' }],
  ['/a?', { path: '/a', query: '' }],
  ['/a#b?c', { path: '/a', fragment: 'b?c' }],
  ['/?/?', { path: '/', query: '/?' }],
  ['/p#', { path: '/p', fragment: '' }],
  ['/p?q#f?#', { path: '/p', query: 'q', fragment: 'f?#' }],
  ['http://h', { scheme: 'http', host: 'h' }],
  ['http://h?q', { scheme: 'http', host: 'h', query: 'q' }],
  ['HTTPS://H.example:1/p?q', { scheme: 'https', host: 'H.example', port: 1, path: '/p', query: 'q' }],
  ['http://u:p@h:80#f', { scheme: 'http', host: 'h', port: 80, fragment: 'f' }],
  ['http://[::1]:8080/', { scheme: 'http', host: '[::1]', port: 8080, path: '/' }],
  ['http://h:/', { scheme: 'http', host: 'h', path: '/' }],
  ['http://h:x/', { scheme: 'http', path: '/' }],
  ['http:///p', { scheme: 'http', path: '/p' }],
  ['*', {}],
  ['h:443', {}],
])('the parts of the target %s', (target, parts: Readonly<Record<string, string | number>>) => {
  const record = firstRecord(target);
  const { scheme, host, port, path, query, fragment } = parts;
  const names = ['url.original', 'url.scheme', 'url.path', 'url.query', 'url.fragment'] as const;
  const [ecs, otel] = [ecsOf(record), otelOf(record)];
  for (const fields of [ecs, otel]) expect(names.map((name) => fields[name])).toEqual([target, scheme, path, query, fragment]);
  expect([ecs['url.domain'], ecs['url.port']]).toEqual([host, port]);
  const address = host === undefined ? undefined : String(host).replace(/[[\]]/g, '');
  expect([otel['server.address'], otel['server.port']]).toEqual([address, port === undefined ? undefined : String(port)]);
});

test('a user of a million @ takes no time', () => {
  const record = firstRecord(`http://${'@'.repeat(1 << 20)}:x/`);
  expect(ecsOf(record)['url.domain']).toBeUndefined();
});

describe.each(FORMS)('%s', (_form, fieldsOf, originalKey) => {
  test('whatever bytes a log holds, a record is JSON of documented fields, and its line comes back from it', () => {
    fc.assert(
      fc.property(request, deployment, (logged, site) => {
        for (const record of recordsOf(formatGroup(logged, site))) {
          const fields = fieldsOf(record);
          const base64 = fields['webmail_diaglog.original_base64'];
          const encoding = base64 === undefined ? 'utf8' : 'base64';
          expect(Object.keys(fields).filter((name) => !DOCUMENTED.has(name))).toEqual([]);
          expect(Buffer.from(String(base64 ?? fields[originalKey]), encoding).toString('latin1')).toBe(record.text);
        }
      }),
    );
  });

  test('a target that is no UTF-8 has U+FFFD in it', () => {
    const record = firstRecord('/\xff');
    const { text } = record;
    const fields = fieldsOf(record);
    expect(fields).toMatchObject({
      'url.original': '/\ufffd',
      'url.path': '/\ufffd',
      [originalKey]: text.replace('\xff', '\ufffd'),
    });
    expect(fields['webmail_diaglog.original_base64']).toBe(Buffer.from(text, 'latin1').toString('base64'));
  });
});
