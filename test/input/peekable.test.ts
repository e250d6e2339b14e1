import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Peekable, readInStep } from '../../src/input/peekable.js';
import { chunksOf, collect, collectText } from '../support/bytes.js';

/** Blocks whose bytes are overwritten once the next block is asked for, as those of an input are. */
async function* reused(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(1 << 16);
  for await (const block of blocks) {
    buffer.fill('!');
    buffer.set(block);
    yield buffer.subarray(0, block.length);
  }
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield* chunksOf('ab');
  throw new Error('torn');
}

describe('Peekable', () => {
  test('what is peeked at is given again, then the rest', async () => {
    const bytes = new Peekable(reused(chunksOf('abcdef', [2, 4])));
    const peeked = bytes.peek();
    await peeked.next();
    await peeked.return(undefined);
    expect(bytes.hasMore).toBe(true);
    expect(await collectText(bytes.peek())).toBe('abcdef');
    expect((await collect(bytes)).map(String)).toEqual(['ab', 'cd', 'ef']);
    expect(bytes.hasMore).toBe(false);
  });

  test('keeps 16 MiB and a chunk at most', async () => {
    const bytes = new Peekable(Array.from({ length: 24 }, () => Buffer.alloc(1 << 20)));
    expect(await collect(bytes.peek())).toHaveLength(16);
    expect(await collect(bytes)).toHaveLength(24);
  });

  test('an error is thrown by the peeking, and after what came before it by the reading', async () => {
    const bytes = new Peekable(failing());
    for (const _ of [1, 2]) await expect(collectText(bytes.peek())).rejects.toThrow('torn');
    const reading = bytes[Symbol.asyncIterator]();
    expect(String((await reading.next()).value)).toBe('ab');
    await expect(reading.next()).rejects.toThrow('torn');
  });

  test('ends its source when the reading is left', async () => {
    const source = chunksOf('abc', [1]);
    for await (const _ of new Peekable(source)) break;
    expect(await source.next()).toMatchObject({ done: true });
  });
});

describe('readInStep', () => {
  async function* delayed(blocks: AsyncIterable<Uint8Array>, turns: number): AsyncGenerator<Uint8Array> {
    for await (const block of blocks) {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      yield block;
    }
  }

  test('gives all bytes to both readers, however slow one of them is', async () => {
    const delay = fc.nat(9);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 50 }), fc.array(fc.nat(50)), delay, delay, async (text, cuts, ...delays) => {
        const bytes = Buffer.from(text, 'utf8').toString('latin1');
        const readers = readInStep(reused(chunksOf(bytes, cuts)));
        const read = readers.map((reader, index) => collectText(delayed(reader, delays[index] ?? 0)));
        expect(await Promise.all(read)).toEqual([bytes, bytes]);
      }),
    );
  });

  test('both readers get the error of the bytes', async () => {
    const results = await Promise.allSettled(readInStep(failing()).map((reader) => collectText(reader)));
    expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: new Error('torn') }));
  });
});
