import { describe, expect, test } from '@jest/globals';
import type { RawReplayOptions } from '../../src/cli/replay.js';
import { resolveReplay } from '../../src/cli/resolve-replay.js';

const DEFAULTS: RawReplayOptions = { from: 'csv', order: 'strict', onBadRow: 'stop' };

describe('resolveReplay', () => {
  test.each([
    [{}, undefined, undefined],
    [{ speed: '10' }, undefined, 10],
    [{ start: '1000' }, { start: 1_000_000, speed: 1 }, undefined],
    // The gaps of a list that is re-timed are divided once.
    [{ start: '1000', speed: '10' }, { start: 1_000_000, speed: 10 }, 1],
  ])('%j', (raw, retiming, pace) => {
    const options = resolveReplay({ ...DEFAULTS, ...raw });
    expect(options.retiming && { start: options.retiming.startAt(), speed: options.retiming.speed }).toEqual(retiming);
    expect(options.pace).toBe(pace);
  });

  test('now is when the first request comes, not when options are read', () => {
    const before = Date.now();
    const start = resolveReplay({ ...DEFAULTS, start: 'now' }).retiming?.startAt() ?? 0;
    expect(start).toBeGreaterThanOrEqual(before);
    expect(start).toBeLessThanOrEqual(Date.now());
  });
});
