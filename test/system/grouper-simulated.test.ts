import { expect, test } from '@jest/globals';
import { findDifferences, SERVERS } from '../support/assembled.js';

test.each(SERVERS)(
  'no request of a long log is lost, none is invented, all have their own times, in order: %s, %d workers',
  (...server) => {
    expect(findDifferences(server, 1400)).toEqual([]);
  },
);
