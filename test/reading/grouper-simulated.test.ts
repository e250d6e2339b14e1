import { expect, test } from '@jest/globals';
import { findDifferences, SERVERS } from '../support/assembled.js';

// test/system/grouper-simulated.test.ts has logs of more requests.
test.each(SERVERS)(
  'no request of a complete log is lost, none is invented, all have their own times, in order: %s, %d workers',
  (...server) => {
    expect(findDifferences(server, 350)).toEqual([]);
  },
);
