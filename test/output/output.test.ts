import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { Chunk } from '../../src/output/chunk.js';
import { FileOutput } from '../../src/output/output.js';
import { partOf } from '../../src/output/whole-pieces.js';
import { makeFolder } from '../support/run.js';

const SPECIFIED = createDeployment();

function chunkOf(...lines: number[]): Chunk {
  const chunk = new Chunk();
  for (const line of lines) {
    const request: LogRequest = { millisecond: line * 1000, method: 'GET', target: '/mail/', line };
    chunk.add({ bytes: Buffer.from(formatGroup(request, SPECIFIED), 'latin1'), count: 1, origin: request });
  }
  return chunk;
}

describe('Chunk', () => {
  test('counts the groups that a write cut short has left whole', () => {
    const chunk = chunkOf(1, 2, 3);
    const [first = 0, second = 0, third = 0] = chunk.ends;
    expect([0, first - 1, first, second - 1, second, third - 1, third].map((bytes) => chunk.countWithin(bytes))).toEqual([
      0, 0, 1, 1, 2, 2, 3,
    ]);
  });

  test('counts all groups of a piece, or none of them', () => {
    const chunk = new Chunk();
    const [group, cluster] = ['group\n', 'the records of three groups\n'].map((text) => Buffer.from(text));
    chunk.add({ bytes: group ?? Buffer.alloc(0), count: 1, origin: { line: 7 } });
    chunk.add({ bytes: cluster ?? Buffer.alloc(0), count: 3, origin: { line: 10 } });
    const places = [0, 5, 6, 33, 34];
    expect(places.map((bytes) => chunk.countWithin(bytes))).toEqual([0, 0, 1, 1, 4]);
    expect(places.map((bytes) => chunk.lineWithin(bytes))).toEqual([undefined, undefined, 7, 7, 10]);
    expect(places.map((bytes) => chunk.endWithin(bytes))).toEqual([0, 0, 6, 6, 34]);
  });

  test('finds the end of the next piece, and of a number of groups', () => {
    const chunk = new Chunk();
    expect([chunk.endAfter(0), chunk.endOfCount(0), chunk.endOfCount(1)]).toEqual([0, 0, 0]);
    chunk.begin(Buffer.from('head\n'));
    expect([chunk.endAfter(0), chunk.endOfCount(0)]).toEqual([5, 0]);
    for (const count of [1, 3, 1]) chunk.add({ bytes: Buffer.from('piece\n'), count, origin: {} });
    expect([0, 4, 5, 10, 11, 22].map((offset) => chunk.endAfter(offset))).toEqual([11, 11, 11, 11, 17, 23]);
    expect([0, 1, 2, 4, 5].map((count) => chunk.endOfCount(count))).toEqual([0, 11, 11, 17, 23]);
  });

  test('forgets what it held when it is cleared', () => {
    const chunk = chunkOf(1, 2, 3);
    chunk.clear();
    expect([chunk.isEmpty, chunk.bytes.length, chunk.ends, chunk.countWithin(Infinity), chunk.lineWithin(Infinity)]).toEqual([
      true,
      0,
      [],
      0,
      undefined,
    ]);
  });
});

describe('partOf', () => {
  test('a part of some pieces is like a chunk of these pieces, however it is cut', () => {
    const piece = fc.record({ bytes: fc.integer({ min: 1, max: 9 }), count: fc.integer({ min: 1, max: 3 }), line: fc.nat(99) });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), fc.nat(8), fc.nat(8), (all, one, other) => {
        const chunkOfPieces = (pieces: typeof all): Chunk => {
          const chunk = new Chunk();
          for (const { bytes, count, line } of pieces)
            chunk.add({ bytes: Buffer.alloc(bytes, String(line)), count, origin: { line } });
          return chunk;
        };
        const [first, end] = [Math.min(one, other), Math.max(one, other)];
        const whole = chunkOfPieces(all);
        const ends = [0, ...whole.ends];
        const part = partOf(whole, ends[first] ?? whole.bytes.length, ends[end] ?? whole.bytes.length);
        const expected = chunkOfPieces(all.slice(first, end));
        expect(part.bytes.toString()).toBe(expected.bytes.toString());
        for (let place = 0; place <= part.bytes.length; place += 1) {
          expect(part.countWithin(place)).toBe(expected.countWithin(place));
          expect(part.endWithin(place)).toBe(expected.endWithin(place));
          const count = expected.countWithin(place);
          expect(part.endOfCount(count)).toBe(expected.endOfCount(count));
          if (expected.countWithin(place) > 0) expect(part.lineWithin(place)).toBe(expected.lineWithin(place));
          if (place < part.bytes.length) expect(part.endAfter(place)).toBe(expected.endAfter(place));
        }
      }),
    );
  });
});

describe('FileOutput', () => {
  test('appends chunks, and counts the groups that stand', async () => {
    const path = join(makeFolder(), 'error.log');
    appendFileSync(path, 'before\n');
    const fd = openSync(path, 'a');
    const output = new FileOutput(fd, path, 'group');
    expect(output).toMatchObject({ noun: 'group', written: 0, lastLine: undefined });
    const [first, second] = [chunkOf(1, 2), chunkOf(5)];
    await output.write(first);
    await output.write(second);
    closeSync(fd);
    expect(output).toMatchObject({ written: 3, lastLine: 5 });
    expect(readFileSync(path, 'latin1')).toBe(`before\n${first.bytes.toString('latin1')}${second.bytes.toString('latin1')}`);
  });

  test('takes chunks of 1 MiB for a regular file, and of what a pipe holds for anything else', () => {
    const file = openSync(join(makeFolder(), 'log'), 'a');
    const device = openSync('/dev/null', 'a');
    expect([file, device].map((fd) => new FileOutput(fd, 'log', 'group').chunkBytes)).toEqual([1 << 20, 65_536]);
    closeSync(file);
    closeSync(device);
  });

  test('does what comes before the first write once', async () => {
    const fd = openSync(join(makeFolder(), 'error.log'), 'a');
    let calls = 0;
    const output = new FileOutput(fd, 'error.log', 'group', () => {
      calls += 1;
      return Promise.resolve();
    });
    expect(calls).toBe(0);
    await output.write(chunkOf(1));
    await output.write(chunkOf(2));
    closeSync(fd);
    expect(calls).toBe(1);
  });

  test('mends the file again before a write that follows a failed one', async () => {
    const fd = openSync('/dev/full', 'a');
    let calls = 0;
    const output = new FileOutput(fd, '/dev/full', 'group', () => {
      calls += 1;
      return Promise.resolve();
    });
    for (const line of [1, 2]) await expect(output.write(chunkOf(line))).rejects.toThrow('no space left');
    closeSync(fd);
    expect(calls).toBe(2);
  });

  test('says what refuses a write, and how many groups stand', async () => {
    const fd = openSync('/dev/full', 'a');
    const output = new FileOutput(fd, '/dev/full', 'group');
    await expect(output.write(chunkOf(1))).rejects.toThrow('/dev/full: no space left on the device; free some space');
    closeSync(fd);
    expect(output.written).toBe(0);
  });
});
