import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LINE_BYTES, readLines } from '../../../src/requests/list/line-blocks.js';
import { chunksOf, collect } from '../../support/bytes.js';

/** Every line with its number, however the blocks fall. */
async function linesOf(bytes: string, cuts: readonly number[] = []): Promise<[number, string][]> {
  const blocks = await collect(readLines(chunksOf(bytes, cuts)));
  return blocks.flatMap(({ line, text, overlong }) =>
    overlong
      ? [[line, `overlong ${text.slice(0, 3)}`]]
      : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((found, index) => [line + index, found] satisfies [number, string]),
  );
}

describe('readLines', () => {
  test('cuts at LF and nowhere else, the same for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '\x85', '\xe2\x80\xa8', '"', ','), { maxLength: 60 }),
        fc.array(fc.nat(100), { maxLength: 20 }),
        async (parts, cuts) => {
          const bytes = parts.join('');
          const lines = await linesOf(bytes, cuts);
          expect(lines.map(([, text]) => text).join('')).toBe(bytes);
          expect(lines.map(([number]) => number)).toEqual(lines.map((_, index) => index + 1));
          for (const [, text] of lines.slice(0, -1)) expect(text.indexOf('\n')).toBe(text.length - 1);
        },
      ),
    );
  });

  test.each([
    ['with its LF', '\n'],
    ['with its CRLF', '\r\n'],
    ['at the end of the input', ''],
  ])('keeps a line of 1 MiB and not one of a byte more, %s', async (_what, end) => {
    const longest = 'x'.repeat(MAX_LINE_BYTES);
    expect(await linesOf(`a\n${longest}${end}`, [2, 70_000])).toEqual([
      [1, 'a\n'],
      [2, `${longest}${end}`],
    ]);
    const next = end === '' ? '' : 'b\n';
    expect(await linesOf(`a\nx${longest}${end}${next}`, [2, 70_000])).toEqual([
      [1, 'a\n'],
      [2, 'overlong xxx'],
      ...(next === '' ? [] : [[3, next]]),
    ]);
  });

  test('gives an overlong line as soon as it is one, though its end never comes', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      await Promise.resolve();
      yield Buffer.from('a\n');
      for (;;) yield Buffer.alloc(1 << 16, 'x');
    }
    for await (const { line, text, overlong } of readLines(endless())) {
      if (!overlong) continue;
      expect([line, text.slice(0, 3)]).toEqual([2, 'xxx']);
      break;
    }
  });

  test('does not keep what a giver of chunks writes over', async () => {
    async function* reuse(): AsyncGenerator<Uint8Array> {
      await Promise.resolve();
      const buffer = Buffer.from('ab');
      yield buffer;
      buffer.write('c\n');
      yield buffer;
    }
    expect((await collect(readLines(reuse()))).map(({ text }) => text)).toEqual(['', 'abc\n', '']);
  });
});
