import { describe, expect, test } from '@jest/globals';
import {
  createFieldsReader,
  FIELD_NAMES,
  fieldOf,
  readLineField,
  readParsedFields,
  valueAt,
  type FieldName,
  type FieldPaths,
} from '../../src/compare/fields.js';
import { findFieldsAlteration } from '../../src/compare/alteration.js';
import { readObjects, type ObjectReader } from '../../src/compare/json-records.js';
import type { FormMismatch } from '../../src/compare/findings.js';
import { ReceivedForm } from '../../src/compare/mismatch.js';
import { createReader, type RecordBlock, type RecordReader } from '../../src/compare/records.js';
import { parseRecord, type LogRecord } from '../../src/log/line.js';
import { DEPRECATION, FAILURE } from '../support/records.js';

/** Reads chunks to the end: for each record its line, what is compared, the line's text where it is another, and why it is no record. */
function readAll(reader: RecordReader, chunks: readonly string[]): readonly string[] {
  const recordsOf = (blocks: Iterable<RecordBlock>): string[] =>
    Array.from(blocks).flatMap(({ bytes, records = [] }) => {
      let start = 0;
      return records.map(({ compared, line, text, reason }) => {
        expect(bytes.toString('latin1', start, start + compared.length + 1)).toBe(`${compared}\n`);
        start += compared.length + 1;
        return [line, compared, text, reason].filter((part) => part !== undefined).join('|');
      });
    });
  const inputs = [...chunks.map((chunk) => Buffer.from(chunk, 'latin1')), undefined];
  return inputs.flatMap((bytes) => recordsOf(reader.read(bytes)));
}

/** Reads NDJSON. */
function readJson(objects: ObjectReader, chunks: readonly string[], form = new ReceivedForm()) {
  const reader = createReader(0, { read: readObjects(objects, form) });
  return { records: readAll(reader, chunks), passedOver: reader.passedOver };
}

/** The objects of a line of NDJSON, and the reason that it is not one object. */
function parseJsonLine(line: string, keepsLongNumbers: boolean) {
  const values: object[] = [];
  const read = (value: object): undefined => void values.push(value);
  const { records } = readJson({ read, isParsed: keepsLongNumbers }, [`${line}\n`]);
  const [, , , reason] = records[0]?.split('|') ?? [];
  return { values, ...(reason !== undefined && { reason }) };
}

describe('parseJsonLine', () => {
  test.each<[line: string, values: readonly unknown[]]>([
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
  ])('%j holds %j', (line, values) => {
    expect(parseJsonLine(line, false)).toEqual({ values });
  });

  test.each<[line: string, value: unknown]>([
    ['{"a":1234567890123456}', { a: '1234567890123456' }],
    ['{"a":123456789012345}', { a: 123456789012345 }],
    ['{"a":[-1747562400123456789, 1747562400123456789,1]}', { a: ['-1747562400123456789', '1747562400123456789', 1] }],
    ['{"a":1234567890123456.5}', { a: 1234567890123456.5 }],
    ['{"a":[0.1234567890123456,1234567890123456e2]}', { a: [0.1234567890123456, 123456789012345600] }],
    [
      '{"1234567890123456":"a 1234567890123456","b":1234567890123456}',
      { 1234567890123456: 'a 1234567890123456', b: '1234567890123456' },
    ],
    ['{"a":"\\"1234567890123456","b":1234567890123456,"c":"\\\\"}', { a: '"1234567890123456', b: '1234567890123456', c: '\\' }],
  ])('keeps the digits of whole numbers that JavaScript cannot hold: %j', (line, value) => {
    expect(parseJsonLine(line, true)).toEqual({ values: [value] });
  });

  test.each<[line: string, values: readonly unknown[], reason: string]>([
    ['{"a":1}{"b":2}', [{ a: 1 }, { b: 2 }], '2 objects on one line'],
    ['{"a":1} ,\t\r{"b":2},{}', [{ a: 1 }, { b: 2 }, {}], '3 objects on one line'],
    ['{"a":"}\\"{"}{"b":{"c":{}}}', [{ a: '}"{' }, { b: { c: {} } }], '2 objects on one line'],
    ['{"a":"\\u017c"}{}', [{ a: '\xc5\xbc' }, {}], '2 objects on one line'],
    ['{"a":1},', [{ a: 1 }], 'text beside an object'],
    [', {"a":1}', [{ a: 1 }], 'text beside an object'],
    ['null', [], 'not an object'],
    ['"a"', [], 'not an object'],
    [',', [], 'a torn line of JSON'],
    ['not JSON', [], 'a torn line of JSON'],
    ['{"a":1}]', [{ a: 1 }], 'a torn line of JSON'],
    ['{"a":1}{"b":', [{ a: 1 }], 'a torn line of JSON'],
    ['{"a":{"b":2}', [{ b: 2 }], 'a torn line of JSON'],
    ['{"a":"text{"b":2}{"c":3}', [{ b: 2 }, { c: 3 }], 'a torn line of JSON'],
    ['{"a":1}{"b":{"c":3}', [{ a: 1 }, { c: 3 }], 'a torn line of JSON'],
    ['{"a":1}-{"b":2}', [{ a: 1 }, { b: 2 }], 'a torn line of JSON'],
    ['{"a":1}{b}{"c":3}', [{ a: 1 }, { c: 3 }], 'a torn line of JSON'],
    ['x{"a":1}x', [], 'a torn line of JSON'],
    ['x{"a":1}', [{ a: 1 }], 'a torn line of JSON'],
    ['7x', [], 'a torn line of JSON'],
    ['{"a":"text of a torn record{"b":2}', [{ b: 2 }], 'a torn line of JSON'],
    ['{"a":{"c":"text of a torn record{"b":2}', [{ b: 2 }], 'a torn line of JSON'],
  ])('%j holds %j: %s', (line, values, reason) => {
    expect(parseJsonLine(line, false)).toEqual({ values, reason });
  });

  test('of many objects on one line the first 1,000 are read', () => {
    const read = parseJsonLine('{}'.repeat(3_000_000), false);
    expect(read.values).toHaveLength(1000);
    expect(read.reason).toBe('more than 1000 objects on one line');
    expect(parseJsonLine('{}'.repeat(1000), false)).toMatchObject({ reason: '1000 objects on one line' });
    expect(parseJsonLine(`{"a":${'{}'.repeat(1500)}`, false)).toEqual(read);
  });

  const LONG = '{"a":1234567890123456789,"p":"';

  test.each<[what: string, line: string, values: number, reason: string | undefined]>([
    ['a long number, and a text that does not end', LONG + '\\"'.repeat(100_000), 0, 'a torn line of JSON'],
    ['a long number, and a long text', `${LONG}${'x'.repeat(12_000_000)}"}`, 1, undefined],
    ['two million brackets', `{"p":${'['.repeat(2_000_000)}`, 0, 'nested too deeply'],
    ['two million braces', '{"p":'.repeat(2_000_000), 0, 'nested too deeply'],
    ['brackets in a long text', `{"p":"${'[\\"'.repeat(100_000)}"}`, 1, undefined],
    ['two million escapes', `{"p":"${'\\u017c'.repeat(2_000_000)}"}`, 1, undefined],
    ['objects side by side in a long line', `{"p":[${'{},'.repeat(100_000)}{}]}`, 1, undefined],
  ])('of a hostile line: %s', (_what, line, values, reason) => {
    const read = parseJsonLine(line, true);
    expect([read.values.length, read.reason]).toEqual([values, reason]);
  });

  test.each([
    { braces: 16, values: [{ a: 1 }] },
    { braces: 17, values: [] },
  ])('behind $braces braces of a torn line: $values', ({ braces, values }) => {
    expect(parseJsonLine(`${'{"b":'.repeat(braces)}{"a":1}`, false).values).toEqual(values);
  });
});

describe('valueAt', () => {
  test.each<[path: string, value: unknown, found: unknown]>([
    ['a', { a: 1 }, 1],
    ['a', { a: null }, null],
    ['b', { a: 1 }, undefined],
    ['a.b', { a: { b: 1 } }, 1],
    ['a.b', { a: { b: 1 }, 'a.b': 2 }, 2],
    ['a.b.c', { a: { b: { c: 1 } }, 'a.b': { c: 2 } }, 2],
    ['a.b.c', { a: { 'b.c': 1 } }, 1],
    ['a.b.c', { a: { b: { c: 1 } }, 'a.b': {} }, 1],
    ['a.b', { a: null }, undefined],
    ['a.b', { a: 'b' }, undefined],
    ['a.1', { a: ['x', 'y'] }, 'y'],
    ['axb', { a: { b: 1 } }, undefined],
    ['axb.c', { a: { b: { c: 1 } } }, undefined],
    ['.a', { '': { a: 1 } }, undefined],
    ['toString', {}, undefined],
    ['constructor.name', {}, undefined],
    ['length', 'text', undefined],
    ['a', null, undefined],
  ])('%s in %j is %j', (path, value, found) => {
    expect(valueAt(value, path)).toEqual(found);
  });
});

test.each<[value: object, read: unknown]>([
  [{ log: 'line' }, 'line'],
  [{ log: 'line\n' }, 'line'],
  [{ log: 'line\n\n' }, 'line\n'],
  [{ log: 7 }, '7'],
  [{ log: '' }, ''],
  [{}, { reason: 'no field "log"', isAbsent: true }],
  [{ log: null }, { reason: 'no field "log"', isAbsent: true }],
  [{ log: true }, { reason: 'its field "log" is not text' }],
  [{ log: ['line'] }, { reason: 'its field "log" is not text' }],
])('the line in the field log of %j is %j', (value, read) => {
  const reader = readLineField('log');
  expect(reader.read(value)).toEqual(read);
  expect(reader).toMatchObject({ isParsed: false });
});

describe('records of NDJSON', () => {
  const FIELD = readLineField('a');

  const ONE_TWO = '{"a":"one"}{"a":"two"}';
  const OVERLONG = '-'.repeat((16 << 20) + 1);

  test.each<[where: string, chunks: readonly string[], records: readonly string[]]>([
    [
      'chunks end within lines, and the last line has no LF',
      ['{"a":"one"}\n{"a":"t', 'w\xf6"}\n', '{"a":"three"}'],
      ['1|one', '2|tw\xf6', '3|three'],
    ],
    ['lines are blank', ['{"a":"one"}\n \t\r\n{"a":"two"}\n\n'], ['1|one', '3|two']],
    ['a record holds an LF', ['{"a":"one\\nmore"}\n'], ['1|one\nmore']],
    [
      'two objects are on one line',
      [`${ONE_TWO}\n`, '{"a":"three"}\n'],
      [`1||${ONE_TWO}|2 objects on one line`, '1|one', '1|two', '2|three'],
    ],
    [
      'an object is not a record',
      ['{"b":1}\n{"a":"one"}\n[{"a":"two"}]\n'],
      ['1||{"b":1}|no field "a"', '2|one', '3||[{"a":"two"}]|not an object'],
    ],
    [
      'a line is too long',
      ['{"a":"one"}\n', OVERLONG, '\n{"a":"two"}\n\n{"a":"three"}\n'],
      ['1|one', `2||${'-'.repeat(4096)}|longer than 16 MiB`, '3|two', '5|three'],
    ],
  ])('are at their lines where %s', (_where, chunks, records) => {
    expect(readJson(FIELD, chunks).records).toEqual(records);
  });

  test('lines, or objects among several on one line, are kept beside parsed fields, and objects that are passed over are counted', () => {
    const objects = readParsedFields(new Map([['request_target', 'url']]));
    expect(readJson(objects, ['{"url":"/a"}\n{"url":""}\n{"b":1}\n', '{"url":"/b"}{"url":"/c"}\n'])).toEqual({
      records: [
        '1|/a|{"url":"/a"}',
        '4||{"url":"/b"}{"url":"/c"}|2 objects on one line',
        '4|/b|{"url":"/b"}',
        '4|/c|{"url":"/c"}',
      ],
      passedOver: 2,
    });
  });
});

describe('an instant', () => {
  const { read } = readParsedFields(new Map([['instant', 't']]));
  const NOON = Date.UTC(2025, 4, 18, 12) / 1000;

  test.each<[text: string, second: number | undefined]>([
    ['2025-05-18T12:00:00Z', NOON],
    ['2025-05-18t12:00z', NOON],
    ['2025-05-18 12:00:07,9 +00', NOON + 7],
    ['2025-05-18T12:00:07.999Z', NOON + 7],
    ['2025-05-18T14:00:00+02:00', NOON],
    ['20250518T173000+0530', NOON],
    ['2025-05-18T08:30:00-03:30', NOON],
    ['2025-05-18T11:00:00-01', NOON],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59Z', -1],
    ['2025-05-18T12:00:00', undefined],
    ['2025-02-29T12:00:00Z', undefined],
    ['2025-05-18T24:00:00Z', undefined],
    ['18-May-2025 12:00:00 +0200', undefined],
    ['0', 0],
    ['-1', -1],
    [String(NOON), NOON],
    [`${String(NOON)}.999`, NOON],
    ['99999999999', 99_999_999_999],
    ['-99999999999', -99_999_999_999],
    ['100000000000', 100_000_000],
    ['-100000000000', -100_000_000],
    ['99999999999999', 99_999_999_999],
    ['100000000000000', 100_000_000],
    ['99999999999999999', 99_999_999_999],
    ['100000000000000000', 100_000_000],
    [`${String(NOON)}123456789`, NOON],
    ['99999999999999999999', 99_999_999_999],
    ['100000000000000000000', undefined],
    ['1e9', undefined],
  ])('%j is %j', (text, second) => {
    expect(read({ t: text })).toBe(second === undefined ? text : new Date(1000 * second).toISOString().replace('.000Z', 'Z'));
  });
});

/** A record that is one. */
function recordOf(line: string): LogRecord {
  const record = parseRecord(line);
  if (record === undefined) throw new Error(`not a record: ${line}`);
  return record;
}

/** Fields at paths of their own names. */
const pathsOf = (...names: readonly FieldName[]): FieldPaths => new Map(names.map((name) => [name, name]));

describe('parsed fields', () => {
  test.each([
    [
      FAILURE,
      'load_failure||18-May-2025 12:00:00|+0200|||PHP|/r/plugins/carddav/carddav.php|/r/program/lib/Roundcube/rcube_plugin_api.php||193|GET|/mail/',
    ],
    [DEPRECATION, 'deprecation||18-May-2025 12:00:00||Europe/Warsaw||PHP|||/r/program/lib/Roundcube/rcube_session.php|119||'],
  ])('of a record: %s', (line, fields) => {
    const record = recordOf(line);
    expect(FIELD_NAMES.map((name) => fieldOf(record, name)).join('|')).toBe(fields);
  });

  test.each<[value: object, read: string | undefined]>([
    [
      { kind: 'load_failure', line_number: 193, instant: '2025-05-18T12:00:00.5+02:00' },
      'load_failure\n193\n2025-05-18T10:00:00Z',
    ],
    [{ kind: 'load_failure', line_number: '193', instant: 1747562400 }, 'load_failure\n193\n2025-05-18T10:00:00Z'],
    [{ kind: null, line_number: 193, instant: 'noon' }, '\n193\nnoon'],
    [{ kind: ['a', 1], line_number: { b: true }, instant: '' }, '["a",1]\n{"b":true}\n'],
    [{ kind: '', line_number: null }, undefined],
    [{ kind: 0 }, '0\n\n'],
  ])('of %j are %j', (value, read) => {
    const reader = readParsedFields(pathsOf('kind', 'line_number', 'instant'));
    expect(reader.read(value)).toBe(read);
    expect(reader).toMatchObject({ isParsed: true });
  });

  test.each([
    [500, undefined],
    [20_000, 'nested too deeply'],
  ])('a value that nests %i lists is one like any other, or its line is no record', (depth, reason) => {
    const { records } = readJson(readParsedFields(pathsOf('plugin_file_path')), [
      `{"plugin_file_path":${'['.repeat(depth)}${']'.repeat(depth)}}\n`,
    ]);
    expect(records[0]?.split('|')[3]).toBe(reason);
  });

  const OTHER = FAILURE.replace('/mail/', '/\xff/');
  const LOG = `${FAILURE}\nsomething else\n${OTHER}\n${DEPRECATION}\n`;

  test.each<
    [
      what: string,
      names: readonly FieldName[],
      kind: LogRecord['kind'] | undefined,
      records: readonly string[],
      passedOver: number,
    ]
  >([
    ['those of all', ['line_number', 'request_target'], undefined, ['1|193\n/mail/', '3|193\n/\xff/', '4|119\n'], 1],
    ['those of one kind', ['line_number'], 'deprecation', ['4|119'], 3],
    ['those that some have', ['http_method'], undefined, ['1|GET', '3|GET'], 2],
    ['those that none has', ['session_file_path'], 'load_failure', [], 4],
    ['the instant of each', ['instant'], undefined, [1, 3, 4].map((line) => `${String(line)}|2025-05-18T10:00:00Z`), 1],
  ])('of the records of a log: %s', (_what, names, kind, records, passedOver) => {
    const reader = createFieldsReader({ fields: pathsOf(...names), kind });
    const read = [...readAll(reader, [LOG])].sort();
    const lines = LOG.split('\n');
    expect(read).toEqual(records.map((record) => `${record}|${lines[Number(record[0]) - 1] ?? ''}`));
    expect(reader.passedOver).toBe(passedOver);
  });
});

describe('findFieldsAlteration', () => {
  const find = findFieldsAlteration(['kind', 'instant', 'request_target']);
  const SENT = ['load_failure', '2025-05-18T10:00:00Z', '/mail/'];
  /** In the repeated hour of autumn, of a log that grows. */
  const AUTUMN = ['deprecation', '2025-10-26T00:00:00Z\x002025-10-26T01:00:00Z', ''];

  test.each<[sent: readonly string[], values: readonly string[], how: string]>([
    [SENT, ['load_failure', '2025-05-18T10:00:00Z', '/poczta/'], 'request_target "/mail/" has become "/poczta/"'],
    [
      SENT,
      ['load_failure', '2025-05-18T12:00:00Z', '/mail/'],
      'instant "2025-05-18T10:00:00Z" has become "2025-05-18T12:00:00Z"',
    ],
    [SENT, ['', '2025-05-18T10:00:00Z', '/mail/'], 'kind "load_failure" has become ""'],
    [AUTUMN, ['deprecation', '2025-10-26T00:00:00Z', '/'], 'request_target "" has become "/"'],
    [AUTUMN, ['deprecation', '2025-10-26T01:00:00Z', '/'], 'request_target "" has become "/"'],
    [AUTUMN, ['deprecation', '2025-10-26T02:00:00Z', ''], 'instant "2025-10-26T00:00:00Z" has become "2025-10-26T02:00:00Z"'],
    [['deprecation', '', ''], ['deprecation', '2025-05-18T10:00:00Z', ''], 'instant "" has become "2025-05-18T10:00:00Z"'],
  ])('%j with %j: %s', (sent, values, how) => {
    const found = find(sent.join('\n'), values.join('\n'));
    expect(found).toMatchObject({ likeness: 0.75, isFragment: false });
    expect(found?.describe()).toBe(how);
  });

  test.each<[why: string, values: readonly string[]]>([
    ['two fields differ', ['load_failure', '2025-05-18T12:00:00Z', '/poczta/']],
    ['no field differs', SENT],
    ['it is not the fields of a record', ['load_failure', '2025-05-18T10:00:00Z']],
    ['it has more values', ['load_failure', '2025-05-18T10:00:00Z', '/poczta/', '']],
  ])('is not found where %s', (_why, values) => {
    expect(find(SENT.join('\n'), values.join('\n'))).toBeUndefined();
  });
});

describe('ReceivedForm', () => {
  test.each<{ chunks: readonly string[]; isDelivered: boolean; isJson: boolean }>([
    { chunks: ['{"a":1}\n{"a":2}\n\n'], isDelivered: false, isJson: true },
    { chunks: ['{"a":1}\n{"a":2}\n'], isDelivered: true, isJson: false },
    { chunks: ['{"a":1}\n[1]\n'], isDelivered: false, isJson: false },
    { chunks: ['[1]\n{"a":1}\n'], isDelivered: false, isJson: false },
    { chunks: ['', '{"a":1}\n', 'a\n'], isDelivered: false, isJson: true },
    { chunks: ['a\n', '{"a":1}\n'], isDelivered: false, isJson: false },
    { chunks: [], isDelivered: false, isJson: false },
  ])('lines of $chunks are JSON, not a log: $isJson', ({ chunks, isDelivered, isJson }) => {
    const form = new ReceivedForm();
    for (const chunk of chunks) form.addBytes(Buffer.from(chunk));
    expect(form.findMismatch('lines', isDelivered)).toEqual(isJson ? { cause: 'is-json' } : undefined);
  });

  const [FIELD, FIELDS] = [readLineField('a'), readParsedFields(pathsOf('kind'))];

  const without = (kinds: number): FormMismatch => ({ cause: 'no-field', objects: 10, without: kinds, keys: ['b', 'c'] });

  test.each<[text: string, objects: ObjectReader, mismatch: FormMismatch | undefined, isDelivered?: boolean]>([
    [`${'{"a":"one"}\n'.repeat(2)}${'{"b":1,"c":2}\n'.repeat(8)}`, FIELD, undefined],
    [`{"a":"one"}\n${'{"b":1,"c":2}\n'.repeat(9)}`, FIELD, without(9), true],
    [`{"kind":"x"}\n${'{"b":1,"c":2}\n'.repeat(9)}`, FIELDS, undefined, true],
    [`{"kind":"x"}\n${'{"b":1,"c":2}\n'.repeat(9)}`, FIELDS, without(9)],
    [`${'{"kind":"x"}\n'.repeat(2)}${'{"b":1,"c":2}\n'.repeat(8)}`, FIELDS, undefined],
    [
      `{"b":1,"c":2}{"c":3}\n\n${'{"d":4}\n'.repeat(8)}{"a":[]}\n`,
      FIELD,
      { cause: 'no-field', objects: 11, without: 10, keys: ['b', 'c'] },
    ],
    [`${'[{"a":"one"}]\n'.repeat(5)}${'{"a":\n'.repeat(4)}{"a":1}\n`, FIELD, { cause: 'not-json' }],
    [`${'[]\n'.repeat(8)}{"a":1}\n{"a":2}\n`, FIELD, undefined],
    ['', FIELD, undefined],
    [`[1]\n${'{"b":1}\n'.repeat(9)}`, FIELD, { cause: 'no-field', objects: 9, without: 9, keys: ['b'] }],
    ['{"x":{"a":"one"}\n', FIELD, undefined],
    ['{"a":7}\n{"a":[]}\n{"a":"one"}\n', FIELD, undefined],
    ['{"kind":"","x":1}\n', FIELDS, { cause: 'no-field', objects: 1, without: 1, keys: ['kind', 'x'] }],
    ['{"kind":"deprecation"}\n', FIELDS, undefined],
  ])('is shown each line and object of NDJSON: %j', (text, objects, mismatch, isDelivered = false) => {
    const form = new ReceivedForm();
    readJson(objects, [text], form);
    expect(form.findMismatch(objects === FIELD ? 'field' : 'fields', isDelivered)).toEqual(mismatch);
  });
});
