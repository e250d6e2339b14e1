import { describe, expect, test } from '@jest/globals';
import { assemble, findDifferences, SERVERS, STARTS } from '../support/assembled.js';
import { PLUGINS, simulateRequests } from '../support/simulate-requests.js';

// test/system/grouper-simulated.test.ts has logs of more requests.
test.each(SERVERS)(
  'no request of a complete log is lost, none is invented, all have their own times, in order: %s, %d workers',
  (...server) => {
    expect(findDifferences(server, 350)).toEqual([]);
  },
);

describe('of a log cut at both ends, a group is whole for 99 of 100 requests within at least, and 1 of 100 is counted twice at most', () => {
  test.each((['even', 'burst', 'short'] as const).flatMap((timing) => [1, 4, 16, 64].map((count) => [timing, count] as const)))(
    '%s, %d workers',
    (timing, workers) => {
      const whole = simulateRequests({
        workers,
        requests: 800,
        longestMs: 600,
        timing,
        seed: workers,
        start: STARTS[0] ?? 0,
        targets: 0,
      });
      const entries = whole.slice(803, -811);
      const counts = new Map<number, number>();
      for (const { request } of entries) counts.set(request, (counts.get(request) ?? 0) + 1);
      const groups = assemble(entries);
      const within = Array.from(counts.values()).filter((count) => count === PLUGINS + 1);
      expect(groups.filter(({ isWhole }) => isWhole).length).toBeGreaterThanOrEqual(0.99 * within.length);
      expect(groups.length).toBeLessThanOrEqual(1.01 * counts.size);
    },
  );
});
