import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSteadyClock } from '../../src/serve/steady-clock.js';

describe('createSteadyClock', () => {
  test('6.4 never steps back, and shows the latest time that there was', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer()), (notBefore, times) => {
        let index = 0;
        const clock = createSteadyClock(() => times[index++] ?? 0, notBefore);
        const shown = times.map(() => clock());
        expect(shown).toEqual(times.map((_, last) => Math.max(notBefore, ...times.slice(0, last + 1))));
      }),
    );
  });
});
