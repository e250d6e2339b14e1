import { describe, expect, test } from '@jest/globals';
import { readParsedFields, valueAt } from '../../src/compare/fields.js';
import type { FormMismatch } from '../../src/compare/findings.js';
import { readObjects } from '../../src/compare/json-records.js';
import { ReceivedForm } from '../../src/compare/mismatch.js';
import type { CompareOptions } from '../../src/compare/options.js';
import { compare } from '../support/compared.js';
import { FAILURE } from '../support/records.js';

/** The objects of a line of NDJSON, and the reason that it is not one object. */
function parseJsonLine(line: string, keepsLongNumbers = false) {
  const values: object[] = [];
  const read = (value: object): undefined => void values.push(value);
  const [found] = readObjects({ read, isParsed: keepsLongNumbers }, new ReceivedForm())(line, 1);
  return { values, reason: found?.reason };
}

describe('a line of NDJSON', () => {
  test.each<[line: string, values: readonly unknown[], reason?: string]>([
    ['{"a":1}', [{ a: 1 }]],
    [' {"a" : [ 1 , 2 ] } \r', [{ a: [1, 2] }]],
    ['\xef\xbb\xbf{"a":1}', [{ a: 1 }]],
    ['{"a":"\xc5\xbc\xff"}', [{ a: '\xc5\xbc\xff' }]],
    ['{"a":"\\u0041\\u007f\\u0022\\u000a"}', [{ a: 'A\x7f"\n' }]],
    ['{"a":"\\u0080\\u017c\\u20AC"}', [{ a: '\xc2\x80\xc5\xbc\xe2\x82\xac' }]],
    ['{"a":"\\ud83d\\ude00\\uD83D\\uDE00"}', [{ a: '\xf0\x9f\x98\x80\xf0\x9f\x98\x80' }]],
    ['{"a":"\\ud83d\\u0041\\ude00"}', [{ a: '\xef\xbf\xbdA\xef\xbf\xbd' }]],
    ['{"a":"\\\\u017c\\t\\u017c"}', [{ a: '\\u017c\t\xc5\xbc' }]],
    ['{"a":12345678901234567890}', [{ a: Number('12345678901234567890') }]],
    ['{"a":1}{"b":2}', [{ a: 1 }, { b: 2 }], '2 objects on one line'],
    ['{"a":1} ,\t\r{"b":2},{}', [{ a: 1 }, { b: 2 }, {}], '3 objects on one line'],
    ['{"a":"}\\"{"}{"b":{"c":{}}}', [{ a: '}"{' }, { b: { c: {} } }], '2 objects on one line'],
    ['{"a":"\\u017c"}{}', [{ a: '\xc5\xbc' }, {}], '2 objects on one line'],
    ['{"a":1},', [{ a: 1 }], 'text beside an object'],
    ['null', [], 'not an object'],
    ['"a"', [], 'not an object'],
    [',', [], 'a torn line of JSON'],
    ['not JSON', [], 'a torn line of JSON'],
    ['{"a":1}{"b":', [{ a: 1 }], 'a torn line of JSON'],
    ['{"a":1}-{"b":2}', [{ a: 1 }, { b: 2 }], 'a torn line of JSON'],
    ['{"a":{"c":"text of a torn record{"b":2}', [{ b: 2 }], 'a torn line of JSON'],
  ])('%j holds %j', (...[line, values, reason]) => {
    expect(parseJsonLine(line)).toEqual({ values, reason });
  });

  test.each<[line: string, value: unknown]>([
    ['{"a":1234567890123456}', { a: '1234567890123456' }],
    ['{"a":123456789012345}', { a: 123456789012345 }],
    ['{"a":[-1747562400123456789, 1747562400123456789,1]}', { a: ['-1747562400123456789', '1747562400123456789', 1] }],
    ['{"a":[0.1234567890123456,1234567890123456e2]}', { a: [0.1234567890123456, 123456789012345600] }],
    ['{"a":"\\"1234567890123456","b":1234567890123456,"c":"\\\\"}', { a: '"1234567890123456', b: '1234567890123456', c: '\\' }],
  ])('keeps the digits of whole numbers that JavaScript cannot hold: %j', (line, value) => {
    expect(parseJsonLine(line, true)).toEqual({ values: [value] });
  });

  const LONG = '{"a":1234567890123456789,"p":"';

  test.each<[what: string, line: string, values: number, reason?: string]>([
    ['a thousand objects', '{}'.repeat(1000), 1000, '1000 objects on one line'],
    ['millions of objects behind a tear', `{"a":${'{}'.repeat(3_000_000)}`, 1000, 'more than 1000 objects on one line'],
    ['a long number, and a text that does not end', LONG + '\\"'.repeat(100_000), 0, 'a torn line of JSON'],
    ['a long number, and a long text', `${LONG}${'x'.repeat(12_000_000)}"}`, 1],
    ['500 brackets in 500', `{"p":${'['.repeat(500)}${']'.repeat(500)}}`, 1],
    ['two million brackets', `{"p":${'['.repeat(2_000_000)}`, 0, 'nested too deeply'],
    ['two million braces', '{"p":'.repeat(2_000_000), 0, 'nested too deeply'],
    ['seventeen braces of a torn line', `${'{"b":'.repeat(17)}{"a":1}`, 0, 'a torn line of JSON'],
    ['brackets in a long text', `{"p":"${'[\\"'.repeat(100_000)}"}`, 1],
    ['two million escapes', `{"p":"${'\\u017c'.repeat(2_000_000)}"}`, 1],
    ['objects side by side in a long line', `{"p":[${'{},'.repeat(100_000)}{}]}`, 1],
  ])('is read in time and memory that keep to its length: %s', (...[, line, values, reason]) => {
    const read = parseJsonLine(line, true);
    expect([read.values.length, read.reason]).toEqual([values, reason]);
  });
});

test.each<[path: string, value: unknown, found: unknown]>([
  ['a', { a: null }, null],
  ['b', { a: 1 }, undefined],
  ['a.b', { a: { b: 1 } }, 1],
  ['a.b', { a: { b: 1 }, 'a.b': 2 }, 2],
  ['a.b.c', { a: { b: { c: 1 } }, 'a.b': { c: 2 } }, 2],
  ['a.b.c', { a: { 'b.c': 1 } }, 1],
  ['a.b.c', { a: { b: { c: 1 } }, 'a.b': {} }, 1],
  ['a.b', { a: null }, undefined],
  ['a.1', { a: ['x', 'y'] }, 'y'],
  ['axb', { a: { b: 1 } }, undefined],
  ['.a', { '': { a: 1 } }, undefined],
  ['constructor.name', {}, undefined],
  ['length', 'text', undefined],
])('the value at %s in %j is %j', (path, value, found) => {
  expect(valueAt(value, path)).toEqual(found);
});

describe('parsed fields', () => {
  const { read } = readParsedFields(
    new Map([
      ['kind', 'k'],
      ['line_number', 'n'],
      ['instant', 't'],
    ]),
  );

  test.each<[value: object, read: string | undefined]>([
    [{ k: 'load_failure', n: 193, t: '2025-05-18T12:00:00.5+02:00' }, 'load_failure\n193\n2025-05-18T10:00:00Z'],
    [{ k: null, n: '193', t: 'noon' }, '\n193\nnoon'],
    [{ k: ['a', 1], n: { b: true }, t: '' }, '["a",1]\n{"b":true}\n'],
    [{ k: '', n: null }, undefined],
    [{ k: 0 }, '0\n\n'],
  ])('of %j are %j', (value, fields) => {
    expect(read(value)).toBe(fields);
  });

  const NOON = Date.UTC(2025, 4, 18, 12) / 1000;

  test.each<[text: string, second: number | undefined]>([
    ['2025-05-18t12:00z', NOON],
    ['2025-05-18 12:00:07,9 +00', NOON + 7],
    ['2025-05-18T12:00:07.999Z', NOON + 7],
    ['20250518T173000+0530', NOON],
    ['2025-05-18T08:30:00-03:30', NOON],
    ['2025-05-18T11:00:00-01', NOON],
    ['1969-12-31T23:59:59Z', -1],
    ['2025-05-18T12:00:00', undefined],
    ['2025-02-29T12:00:00Z', undefined],
    ['2025-05-18T24:00:00Z', undefined],
    ['18-May-2025 12:00:00 +0200', undefined],
    ['-1', -1],
    [`${String(NOON)}.999`, NOON],
    ['-99999999999', -99_999_999_999],
    ['100000000000', 100_000_000],
    ['99999999999999', 99_999_999_999],
    ['100000000000000', 100_000_000],
    ['99999999999999999', 99_999_999_999],
    ['100000000000000000', 100_000_000],
    ['99999999999999999999', 99_999_999_999],
    ['100000000000000000000', undefined],
    ['1e9', undefined],
  ])('the instant %j is %j', (t, second) => {
    const instant = second === undefined ? t : new Date(1000 * second).toISOString().replace('.000Z', 'Z');
    expect(read({ t })).toBe(`\n\n${instant}`);
  });
});

describe('the likely reason that nearly nothing can be compared', () => {
  const [FIELD, FIELDS]: readonly CompareOptions[] = [{ field: 'a' }, { fields: { kind: 'kind' } }];
  const OTHERS = '{"b":1,"c":2}\n';
  const without = (objects: number, others: number, keys = ['b', 'c']): FormMismatch => ({
    ...{ cause: 'no-field', objects, without: others, keys },
  });

  test.each<[came: string, options: CompareOptions | undefined, mismatch?: FormMismatch]>([
    ['{"a":1}\n{"a":2}\n\n', {}, { cause: 'is-json' }],
    ['{"a":1}\none\n', {}],
    ['{"a":1}\n[1]\n', {}],
    ['[1]\n{"a":1}\n', {}],
    [`${'{"a":"two"}\n'.repeat(2)}${OTHERS.repeat(8)}`, FIELD],
    [`{"a":"one"}\n${OTHERS.repeat(9)}`, FIELD, without(10, 9)],
    [`{"b":1,"c":2}{"c":3}\n\n${'{"d":4}\n'.repeat(8)}{"a":[]}\n`, FIELD, without(11, 10)],
    [`[1]\n${'{"b":1}\n'.repeat(9)}`, FIELD, without(9, 9, ['b'])],
    [`${'[{"a":"one"}]\n'.repeat(5)}${'{"a":\n'.repeat(4)}{"a":1}\n`, FIELD, { cause: 'not-json' }],
    [`${'[]\n'.repeat(8)}{"a":1}\n{"a":2}\n`, FIELD],
    ['', FIELD],
    ['{"x":{"a":"two"}\n', FIELD],
    ['{"a":7}\n{"a":[]}\n{"a":"two"}\n', FIELD],
    [`{"kind":"deprecation"}\n${OTHERS.repeat(9)}`, FIELDS, without(10, 9)],
    [`{"kind":"load_failure"}\n${OTHERS.repeat(9)}`, FIELDS],
    [`${'{"kind":"x"}\n'.repeat(2)}${OTHERS.repeat(8)}`, FIELDS],
    ['{"kind":"","x":1}\n', FIELDS, without(1, 1, ['kind', 'x'])],
  ])('of %j, compared with %j', async (...[came, options, mismatch]) => {
    expect((await compare(`one\n${FAILURE}\n`, came, options)).summary.mismatch).toEqual(mismatch);
  });
});

test.each<[chunks: readonly string[], isSuspected: boolean]>([
  [['{"a":1}\n', 'b\n'], true],
  [['', 'b\n', '{"a":1}\n'], false],
  [['{"log":"b\\n","stream":"stderr","time":"2025-05-18T10:00:00Z"}\n'], false],
])('the first bytes that come tell whether lines are objects, unless they are of Docker: %j', (chunks, isSuspected) => {
  const form = new ReceivedForm();
  for (const chunk of chunks) form.addBytes(Buffer.from(chunk));
  expect(form.findMismatch('lines', false)).toEqual(isSuspected ? { cause: 'is-json' } : undefined);
});

test.each([
  ['{"host":{"a":"one"},"a":"on\n{"a":"two"}\n', 1],
  ['{"a":"one","t":[{"a":"two"},{"a":"q"},"cut\n', 0],
  ['{"x":"cut{"a":"one"}\n{"a":"two"}\n', 2],
])('objects within a torn one are parts of it, unless nothing follows them: %j', async (came, delivered) => {
  const { summary } = await compare('one\ntwo\n', came, { field: 'a' });
  expect({ delivered: summary.recordsDelivered, foreign: summary.counts.of('foreign') }).toEqual({ delivered, foreign: 1 });
});
