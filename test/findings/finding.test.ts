import { describe, expect, test } from '@jest/globals';
import { formatFinding, quoted, statement, statementFields, VALUE } from '../../src/findings/finding.js';

const FINDING = { source: 'a\nb.log', line: 7, kind: 'altered' } as const;

describe('a finding as text', () => {
  test.each([
    ['words alone', statement('nothing'), statement('a record'), 'nothing; expected a record'],
    ['values in quotes', quoted('\x1b[31m'), quoted('a$&b'), '"\\x1b[31m"; expected "a$&b"'],
    [
      'a value in words',
      statement(`cut after "${VALUE}" here`, '\xff'),
      quoted('\xc5\x82'),
      'cut after "\\xff" here; expected "\u0142"',
    ],
    ['a value that ends within a sequence of UTF-8', quoted('caf\xe9'), quoted('\xc5'), '"caf\\xe9"; expected "\\xc5"'],
    ['an empty value', quoted(''), quoted('x'.repeat(400)), `""; expected "${'x'.repeat(320)}\u2026"`],
  ])('%s', (_what, found, expected, text) => {
    expect(formatFinding({ ...FINDING, found, expected })).toBe(`a\\nb.log:7: altered: ${text}\n`);
  });

  test.each([
    ['as long as is shown: whole', 320, `/${'x'.repeat(318)}`],
    ['longer: from 80 characters before the difference', 321, `\u2026${'x'.repeat(80)}`],
  ])('values that differ in their last character, %s', (_what, length, shown) => {
    const common = '/'.padEnd(length - 1, 'x');
    const text = formatFinding({ ...FINDING, found: quoted(`${common}1`), expected: quoted(`${common}2`) });
    expect(text).toBe(`a\\nb.log:7: altered: "${shown}1"; expected "${shown}2"\n`);
  });
});

describe('a statement as fields of JSON', () => {
  test.each([
    ['words', statement('one record'), { found: 'one record' }],
    ['a value', statement(`the tag "${VALUE}"`, 'PHP'), { found: 'PHP' }],
    ['a value in UTF-8', quoted('\xc5\x82'), { found: '\u0142' }],
    ['an empty value', quoted(''), { found: '' }],
    ['a value that is not UTF-8', quoted('a\xff'), { found: 'a\ufffd', found_base64: 'Yf8=' }],
  ])('%s', (_what, given, fields) => {
    expect(statementFields('found', given)).toEqual(fields);
  });
});
