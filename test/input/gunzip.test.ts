import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DataError } from '../../src/errors.js';
import { gunzip } from '../../src/input/gunzip.js';
import { chunksOf } from '../support/bytes.js';
import { PROJECT } from '../support/run.js';

const LOG = readFileSync(join(PROJECT, 'fixtures/requests.log'));
const GZIP = gzipSync(LOG);

/** What is unpacked before the end or an error, and the error. */
async function unpack(packed: Uint8Array, cuts: readonly number[] = []): Promise<{ bytes: Buffer; error?: unknown }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of gunzip(chunksOf(Buffer.from(packed).toString('latin1'), cuts), 'x.gz'))
      chunks.push(Buffer.from(chunk));
    return { bytes: Buffer.concat(chunks) };
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  }
}

describe('gzip', () => {
  test('unpacks members one after the other, however they and their chunks are cut', async () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(parts, fc.array(fc.nat(400), { maxLength: 40 }), async (contents, cuts) => {
        const packed = Buffer.concat(contents.map((content) => gzipSync(content)));
        expect(await unpack(packed, cuts)).toEqual({ bytes: Buffer.concat(contents) });
      }),
    );
  });

  test('unpacks a file of several chunks; zeros behind a member are padding', async () => {
    for (const cuts of [[], [GZIP.length], [GZIP.length + 3], [1, 5000, 5001]])
      for (const packed of [GZIP, Buffer.concat([GZIP, Buffer.alloc(512)])])
        expect((await unpack(packed, cuts)).bytes.equals(LOG)).toBe(true);
  });

  test.each([
    ['cut within its data', GZIP.subarray(0, GZIP.length >> 1), 'its gzip ends early', 200_000],
    ['cut within its checksum', GZIP.subarray(0, -3), 'its gzip ends early', LOG.length],
    ['cut behind its magic', GZIP.subarray(0, 2), 'its gzip ends early', 0],
    ['a wrong checksum', flip(GZIP, GZIP.length - 6), 'its gzip is broken (incorrect data check)', LOG.length],
    ['another method', Buffer.from('\x1f\x8b\x01\0\0\0\0\0\0\0', 'latin1'), 'its gzip is broken (unknown compression', 0],
    ['other gzip behind it, cut', Buffer.concat([GZIP, GZIP.subarray(0, 5)]), 'its gzip ends early', LOG.length],
    ['data that makes no sense', flip(GZIP, GZIP.length - 2000, 0xff), 'its gzip is broken (', 100_000],
    ['a wrong length', flip(GZIP, GZIP.length - 2), 'its gzip is broken (incorrect length check)', LOG.length],
    ['other bytes behind it', Buffer.concat([GZIP, Buffer.from('GARBAGE')]), 'its gzip is broken (incorrect header', LOG.length],
  ])('%s: an error, after all bytes before it', async (_what, packed, problem, length) => {
    for (const cuts of [[], [7], [packed.length - 7, packed.length - 1]]) {
      const { bytes, error } = await unpack(packed, cuts);
      expect(error).toBeInstanceOf(DataError);
      expect(String(error)).toContain(`x.gz: ${problem}`);
      expect(bytes.length).toBeGreaterThanOrEqual(length);
      expect(bytes.subarray(0, length).equals(LOG.subarray(0, length))).toBe(true);
    }
  });

  test('a whole member is unpacked before the error of the bytes behind it, however small it is', async () => {
    for (const behind of ['[', 'x'.repeat(600), '\x1fx', '\x1f']) {
      const { bytes, error } = await unpack(Buffer.concat([gzipSync('small\n'), Buffer.from(behind, 'latin1')]));
      expect(bytes.toString()).toBe('small\n');
      expect(error).toBeInstanceOf(DataError);
    }
  });

  test('all fields of a header are passed over', async () => {
    const deflated = gzipSync('x\n').subarray(10);
    const header = Buffer.from('\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x04\0extrname\0comment\0hc', 'latin1');
    expect((await unpack(Buffer.concat([header, deflated]))).bytes.toString()).toBe('x\n');
  });

  test('a bomb is given in chunks of at most 256 KiB, and little of it waits', async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20));
    let [bytes, most, heap] = [0, 0, 0];
    const before = process.memoryUsage().arrayBuffers;
    for await (const chunk of gunzip(chunksOf(bomb.toString('latin1')), 'x')) {
      bytes += chunk.length;
      most = Math.max(most, chunk.length);
      heap = Math.max(heap, process.memoryUsage().arrayBuffers - before);
    }
    expect(bytes).toBe(64 << 20);
    expect(most).toBeLessThanOrEqual(1 << 18);
    expect(heap).toBeLessThan(48 << 20);
  });
});

function flip(bytes: Buffer, at: number, mask = 1): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}
