import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutLogLines, recordOn } from '../../src/input/log-lines.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { MAX_RECORD_BYTES } from '../../src/log/record.js';
import { chunksOf } from '../support/bytes.js';

const RECORD = formatGroup({ millisecond: 0, method: 'GET', target: '/' }, createDeployment()).split('\n')[0] ?? '';

/** The texts of blocks. Of a line that is too long: its beginning, in brackets. */
async function cut(log: AsyncIterable<Uint8Array>, options: Parameters<typeof cutLogLines>[1]): Promise<readonly string[]> {
  const blocks: string[] = [];
  for await (const { bytes, overlong } of cutLogLines(log, options))
    blocks.push(overlong ? `[${bytes.toString('latin1')}]` : bytes.toString('latin1'));
  return blocks;
}

const readLines = async (log: string, cuts: readonly number[], keepsMark = false): Promise<string> =>
  (await cut(chunksOf(log, cuts), { keepsMark })).join('');

test('a byte order mark before the first line is passed over, wherever the chunks are cut; elsewhere it is part of a line', async () => {
  const mark = '\xef\xbb\xbf';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(12)), async (cuts) => {
      const log = `ab\n${mark}c\n`;
      expect(await readLines(log, cuts)).toBe(log);
      expect(await readLines(mark + log, cuts)).toBe(log);
      expect(await readLines(mark + log, cuts, true)).toBe(mark + log);
    }),
  );
  expect(await readLines(mark, [])).toBe('');
  expect(await readLines('\xef\xbb', [1])).toBe('\xef\xbb');
});

test('a line is a record by itself alone, and up to the longest record', () => {
  expect(recordOn(RECORD)?.kind).toBe('load_failure');
  expect(recordOn(` ${RECORD}`)).toBeUndefined();
  expect(recordOn(RECORD.replace('GET /', `GET /${'x'.repeat(MAX_RECORD_BYTES)}`))).toBeUndefined();
});

describe('blocks of whole lines', () => {
  test('are cut at LF and nowhere else, the same for any chunks and sizes of blocks', async () => {
    const parts = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '\x85', '\xe2\x80\xa8', '"'), { maxLength: 60 });
    const size = fc.integer({ min: 1, max: 200 });
    await fc.assert(
      fc.asyncProperty(parts, fc.array(fc.nat(100), { maxLength: 20 }), size, async (texts, cuts, blockBytes) => {
        const log = texts.join('');
        const blocks = await cut(chunksOf(log, cuts), { blockBytes });
        expect(blocks.join('')).toBe(log);
        for (const block of blocks.slice(0, -1)) expect(block === '' || block.endsWith('\n')).toBe(true);
      }),
    );
  });

  test.each(['\n', '\r\n', ''])('hold the longest line, and not one of a byte more, that ends in %j', async (end) => {
    const options = { maxLineBytes: 9, shownBytes: 3 };
    for (const cuts of [[], [2, 7], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]]) {
      expect((await cut(chunksOf(`a\n${'x'.repeat(9)}${end}`, cuts), options)).join('')).toBe(`a\n${'x'.repeat(9)}${end}`);
      const next = end === '' ? '' : 'b\n';
      const blocks = await cut(chunksOf(`a\n${'x'.repeat(10)}${end}${next}`, cuts), options);
      if (cuts.length > 0) expect(blocks.join('')).toBe(`a\n[xxx]${next}`);
    }
  });

  test('give an overlong line as soon as it is one, though its end never comes', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      await Promise.resolve();
      for (;;) yield Buffer.alloc(1 << 16, 'x');
    }
    for await (const { overlong } of cutLogLines(endless(), { maxLineBytes: 1 << 20 })) if (overlong) break;
  });

  test('keep nothing that a giver of chunks writes over', async () => {
    async function* reuse(): AsyncGenerator<Uint8Array> {
      await Promise.resolve();
      const buffer = Buffer.from('ab');
      yield buffer;
      buffer.write('c\n');
      yield buffer;
    }
    expect(await cut(reuse(), {})).toEqual(['', 'abc\n', '']);
  });
});
