import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readInStep } from '../../src/input/read-in-step.js';
import { chunksOf } from '../support/bytes.js';

/** Blocks whose bytes are overwritten once the next block is asked for, as those of an input are. */
async function* reused(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(1 << 16);
  for await (const block of blocks) {
    buffer.fill('!');
    buffer.set(block);
    yield buffer.subarray(0, block.length);
  }
}

async function textOf(blocks: AsyncIterable<Uint8Array>, delay = 0): Promise<string> {
  let text = '';
  for await (const block of blocks) {
    for (let turn = 0; turn < delay; turn += 1) await Promise.resolve();
    text += Buffer.from(block).toString('latin1');
  }
  return text;
}

describe('readInStep', () => {
  test('gives all bytes to both readers, however slow one of them is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 50 }),
        fc.array(fc.nat(50)),
        fc.nat(9),
        fc.nat(9),
        async (text, cuts, delay, otherDelay) => {
          const bytes = Buffer.from(text, 'utf8').toString('latin1');
          const [one, other] = readInStep(reused(chunksOf(bytes, cuts)));
          expect(await Promise.all([textOf(one, delay), textOf(other, otherDelay)])).toEqual([bytes, bytes]);
        },
      ),
    );
  });

  test('reads no further than the slower reader has asked', async () => {
    let read = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const block of chunksOf('abc', [1, 2])) {
        read += 1;
        yield block;
      }
    };
    const [one, other] = readInStep(counted());
    const ahead = textOf(one);
    const behind = other[Symbol.asyncIterator]();
    await behind.next();
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(read).toBe(1);
    while ((await behind.next()).done !== true);
    expect(await ahead).toBe('abc');
  });

  test('both readers get the error of the bytes', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunksOf('ab');
      throw new Error('torn');
    };
    const results = await Promise.allSettled(readInStep(failing()).map((reader) => textOf(reader)));
    expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toEqual([
      'Error: torn',
      'Error: torn',
    ]);
  });
});
