import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { widenSlice } from '../../src/faults/fault-injector.js';
import { FAULT_KINDS } from '../../src/faults/kinds.js';
import { sliceOf } from '../../src/requests/synth/arrivals.js';
import { breakLog, requestsAt, type BrokenLog, forEachKind } from '../support/broken-log.js';

describe('slices', () => {
  test.each([2, 3, 7])('%d shards, one after the other, are the whole; lines count from each one’s first', async (shards) => {
    const requests = requestsAt(5000, [0, 400, 3000, 100]);
    const options = { rates: forEachKind(0.05), seed: 4 };
    const whole = await breakLog(requests, options);
    const parts = await Promise.all(
      Array.from({ length: shards }, (_, index) => breakLog(requests, { ...options, slice: sliceOf(5000, index + 1, shards) })),
    );
    expect(parts.map(({ log }) => log).join('') === whole.log).toBe(true);
    let lines = 0;
    const faults = parts.flatMap(({ log, faults: ofShard }) => {
      const moved = ofShard.map((fault) => ({ ...fault, line: fault.line + lines }));
      lines += log.split('\n').length - 1;
      return moved;
    });
    expect(faults).toEqual(whole.faults);
  });

  test.each([
    [{ first: 0, end: 0 }, 5000, { first: 0, end: 0 }],
    [{ first: 0, end: 10 }, 10, { first: 0, end: 10 }],
    [{ first: 0, end: 10 }, 5000, { first: 0, end: 1024 }],
    [{ first: 1023, end: 1025 }, 5000, { first: 0, end: 2048 }],
    [{ first: 1024, end: 2048 }, 5000, { first: 1024, end: 2048 }],
    [{ first: 4900, end: 5000 }, 5000, { first: 4096, end: 5000 }],
  ])('%j of %d groups needs %j', (slice, count, needed) => {
    expect(widenSlice(slice, count)).toEqual(needed);
  });
});

describe('reproducible', () => {
  const hashOf = ({ log }: BrokenLog): string => createHash('sha256').update(log, 'latin1').digest('hex').slice(0, 16);

  test('fingerprints: what is made up stays the same until the major version changes', async () => {
    const requests = requestsAt(2000, [700]);
    const prints: Record<string, string> = {};
    for (const kind of FAULT_KINDS)
      prints[kind] = hashOf(await breakLog(requests, { rates: { ...forEachKind(0), [kind]: 0.1 }, seed: 7 }));
    prints['all'] = hashOf(await breakLog(requests, { rates: forEachKind(0.05), seed: 7 }));
    expect(prints).toEqual({
      all: 'd347f6bd6c9ff01c',
      altered: '648205fb7882ea23',
      crlf: 'b79b37a8f16b798e',
      duplicate: '15b9e0f3d9ec44f7',
      foreign: '41df60aa7fcccc0e',
      garbage: '33b798bd38620523',
      interleave: '8e68811565fcfb62',
      late: '7a32413c3c93ebcb',
      missing: '999a75515c0c335c',
      swapped: '49385e28208c30df',
      torn: 'd352ba046566c526',
    });
  });
});
