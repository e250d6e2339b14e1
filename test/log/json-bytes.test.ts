import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BrokenJsonError, JsonBytes } from '../../src/log/json-bytes.js';

/** The values of a text that follow one another, as texts; undefined if the text is refused. */
function valuesOf(text: string): string[] | undefined {
  const bytes = Buffer.from(text, 'latin1');
  try {
    return Array.from(new JsonBytes(bytes).values(), ({ start, end }) => bytes.toString('latin1', start, end));
  } catch (error) {
    if (error instanceof BrokenJsonError) return undefined;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const BLANKS = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 3 });

describe('JsonBytes', () => {
  test('gives values that follow one another as they came', () => {
    const values = fc.array(fc.json({ stringUnit: fc.constantFrom('a', '"', '\\', '\n', '\u00e9', '\u2028', '{', ']') }));
    fc.assert(
      fc.property(values, BLANKS, (texts, blanks) => {
        const bytes = texts.map((text) => Buffer.from(text).toString('latin1'));
        expect(valuesOf(bytes.map((text) => `${blanks}${text} `).join(''))).toEqual(bytes);
      }),
    );
  });

  test('accepts a value exactly if JSON.parse does', () => {
    const bytes = Array.from('{}[],:"\\-+.019eEtrufalsn \n\t\x01\xff');
    const token = fc.constantFrom(...bytes, '"a"', '{"a":', '[1,', 'true', 'null', '\\u00e9');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join('').trim();
        // JSON.parse takes one value; blank text is none, and beyond ASCII it knows other blanks.
        fc.pre(text !== '' && !text.startsWith('\xff'));
        const values = valuesOf(text);
        expect(values?.length === 1).toBe(isJson(text));
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['[[],{},[{}],"\\u00FF\\n"]', '{"a":{"b":[1,2,{"c":null}]},"d":-0.5e+10}', '"\xff\x80"', '-0', '1E5'])(
    'accepts %s',
    (text) => {
      expect(valuesOf(text)).toEqual([text]);
    },
  );

  test.each([
    ...'{ [ " {"a" {"a": {"a":1 {"a":1, {"a":1,} [1,] {1:2} {,} [,] [1} {"a":1] "a {"a":"b}'.split(' '),
    ...'01 - 1. .5 1e +1 0x1 tru True NaN "\\x" "\\u12" "\\u12g4"'.split(' '),
    ...['[1 2]', '{"a" 1}', '- 1', '"\x00"', '"\n"', "'a'", '// a', '\xef\xbb\xbf{}'],
  ])('refuses %j', (text) => {
    expect(valuesOf(text)).toBeUndefined();
  });

  test('reads up to 1,000 levels', () => {
    const nest = (depth: number): string => '['.repeat(depth - 1) + '[]' + ']'.repeat(depth - 1);
    expect(valuesOf(nest(1001))).toHaveLength(1);
    expect(valuesOf(nest(1002))).toBeUndefined();
    expect(valuesOf('{"a":'.repeat(1001))).toBeUndefined();
  });

  test('finds members and elements', () => {
    const bytes = Buffer.from(' {"a" : [1, {"b":2} ,"c"],"ab":true, "a":[ ]} ');
    const json = new JsonBytes(bytes);
    const textOf = (span: { start: number; end: number } | undefined): string | undefined =>
      span && bytes.toString('latin1', span.start, span.end);
    expect(textOf(json.member(1, 'ab'))).toBe('true');
    expect(textOf(json.member(1, 'a'))).toBe('[ ]');
    expect(json.member(1, 'b')).toBeUndefined();
    const members = [...json.members(1)];
    expect(members.map(textOf)).toEqual(['[1, {"b":2} ,"c"]', 'true', '[ ]']);
    expect(members.map(({ name }) => name)).toEqual(['a', 'ab', 'a']);
    expect([json.isEmptyObject(1), new JsonBytes(Buffer.from('{ }')).isEmptyObject(0)]).toEqual([false, true]);
    expect(Array.from(json.elements(members[0]?.start ?? 0), textOf)).toEqual(['1', '{"b":2}', '"c"']);
    expect([...json.elements(json.member(1, 'a')?.start ?? 0)]).toEqual([]);
    expect(() => [...json.elements(1)]).toThrow('an array was expected');
    expect(() => json.member(7, 'a')).toThrow('an object was expected');
  });
});
