import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PathFollower } from '../../src/input/follower.js';
import { makeFolder } from '../support/run.js';
import { simulateWriters, writerSteps } from '../support/simulate-writers.js';

test('every line that stands in some file of the name is given once, but for what a truncation may have taken, which is said', async () => {
  await fc.assert(
    fc.asyncProperty(writerSteps, async (steps) => {
      const path = join(makeFolder(), 'app.log');
      const follower = new PathFollower(path);
      const seen: string[] = [];
      const take = (bytes: Buffer): void => {
        seen.push(...bytes.toString('latin1').split('\n').slice(0, -1));
      };
      let number = 0;
      const { lines, atRisk, isTruncated } = await simulateWriters(steps, {
        path,
        nextLine: () => `[${String((number += 1))} ${'x'.repeat(number % 70)}]`,
        onLook: (nowMs) => {
          for (let growth = follower.look(nowMs); growth !== undefined; growth = follower.look(nowMs)) take(growth.bytes);
        },
      });
      for (const { bytes } of follower.rest()) take(bytes);
      follower.close();
      const given = new Set(seen);
      const missed = lines.filter((line) => !given.has(line));
      expect(missed.filter((line) => !atRisk.has(line))).toEqual([]);
      expect(follower.truncations > 0).toBe(isTruncated);
      // Of lines that a truncation has cut, fragments are given.
      const known = new Set(lines);
      if (atRisk.size === 0) expect(seen.filter((line) => !known.has(line))).toEqual([]);
      expect(seen.filter((line) => known.has(line)).length).toBe(given.size - seen.filter((line) => !known.has(line)).length);
    }),
    { numRuns: 100 },
  );
});
