import { describe, expect, test } from '@jest/globals';
import { parseJsonLine } from '../../src/compare/json-lines.js';
import { isLossyCopy } from '../../src/compare/lossy.js';
import { readParsedFields } from '../../src/compare/parsed-fields.js';

describe('isLossyCopy', () => {
  const expected = 'GET /' + '\xff\xff?'.repeat(40);

  test.each([
    ['a sign for each byte', '?'.repeat(120), true],
    ['a sign for each stretch', '?'.repeat(80), true],
    ['a sign too many', '?'.repeat(121), false],
    ['a sign too few', '?'.repeat(79), false],
    ['another sign', '\xef\xbf\xbd\xef\xbf\xbd?'.repeat(40), true],
    ['another sign in the place of a sent one', '\xef\xbf\xbd'.repeat(80), false],
    ['every byte escaped', '\\xff\\xff?'.repeat(40), true],
  ])('%s', (_what, received, isCopy) => {
    expect(isLossyCopy(expected, `GET /${received}`)).toBe(isCopy);
  });

  test('gives up a record that could stand for another in too many ways', () => {
    const text = '\xff\xff\xef\xbf\xbd'.repeat(20_000);
    expect(isLossyCopy(text, '\xef\xbf\xbd'.repeat(50_000))).toBe(false);
    expect(isLossyCopy('\xff\xff?'.repeat(20_000), '?'.repeat(50_000))).toBe(true);
  });

  test('leaves valid UTF-8 exact', () => {
    expect(isLossyCopy('GET /\xc3\xa9', 'GET /\\xc3\\xa9')).toBe(false);
    expect(isLossyCopy('GET /\xc3\xa9\xff', 'GET /\xc3\xa9\\xff')).toBe(true);
  });
});

describe('parseJsonLine', () => {
  const LONG = '{"a":1234567890123456789,"p":"';

  test.each([
    ['a long number, and a text that does not end', LONG + '\\"'.repeat(100_000), [], 'a torn line of JSON'],
    ['a long number, and a long text', `${LONG}${'x'.repeat(12_000_000)}"}`, 1, undefined],
    ['a long number in a text', '{"p":"a 1234567890123456789 \\" 1234567890123456789","b":1234567890123456789}', 1, undefined],
    ['a mark of the byte order', '\xef\xbb\xbf{"p":1}', 1, undefined],
    ['a comma behind an object', '{"p":1},', 1, 'text beside an object'],
    ['a whole object before a torn one', '{"p":1}{"p":', 1, 'a torn line of JSON'],
    ['whole objects around a torn one', '{"p":1}{"p":{"p":2}', 2, 'a torn line of JSON'],
  ])('%s', (_what, line, values, fault) => {
    const read = parseJsonLine(line, true);
    expect(read.values).toHaveLength(typeof values === 'number' ? values : 0);
    expect(read.fault).toBe(fault);
  });

  test('keeps the digits of long numbers, and texts as they are', () => {
    const line = '{"p":"1234567890123456789","q":-1234567890123456789,"r":[1234567890123456]}';
    expect(parseJsonLine(line, true).values).toEqual([
      { p: '1234567890123456789', q: '-1234567890123456789', r: ['1234567890123456'] },
    ]);
  });
});

test('a value that is nested too deeply is a value like any other', () => {
  const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  const { read } = readParsedFields(new Map([['plugin_file_path', 'p']]));
  expect(read({ p: deep })).toBe('(nested too deeply)');
});
