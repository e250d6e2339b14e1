import { describe, expect, test } from '@jest/globals';
import { TargetCache } from '../../src/requests/target-cache.js';
import { findTargetFault } from '../../src/requests/request.js';

describe('TargetCache', () => {
  test('gives every target as it is, however many there are and however often they come', () => {
    const targets = Array.from({ length: 10_000 }, (_, n) => `/mail/?n=${String(n)}`).concat(
      '/',
      '/'.padEnd(1024, 'x'),
      '/'.padEnd(1025, 'y'),
    );
    const cache = new TargetCache();
    for (const round of [1, 2]) {
      expect([round, ...targets.map((target) => cache.validate(target))]).toEqual([round, ...targets]);
    }
  });

  test('tells what is wrong with one, each time', () => {
    const cache = new TargetCache();
    for (const target of ['', 'mail/', '/a b', '/a b']) expect(cache.validate(target)).toEqual(findTargetFault(target));
  });

  test('looks no further than where a target ends in its text', () => {
    const cache = new TargetCache();
    const text = '/mail/,/mail/?x,/mail/,/mai';
    for (const [from, until, target] of [
      [0, 6, '/mail/'],
      [7, 15, '/mail/?x'],
      [16, 22, '/mail/'],
      [7, 13, '/mail/'],
      [23, 27, '/mai'],
    ] as const) {
      expect(cache.validateWithin(text, from, until)).toBe(target);
    }
    expect(cache.validateWithin(text, 3, 3)).toEqual(findTargetFault(''));
  });
});
