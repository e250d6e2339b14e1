import { describe, expect, test } from '@jest/globals';
import { markRequests, markTarget } from '../../src/requests/mark.js';
import { outcomeOf } from '../support/batches.js';

describe('markTarget', () => {
  test.each([
    ['/mail/', '/mail/?r=7'],
    ['/mail/?', '/mail/?r=7'],
    ['/mail/?a=b', '/mail/?a=b&r=7'],
    ['/mail/?a=b&', '/mail/?a=b&&r=7'],
    ['/mail/#top', '/mail/?r=7#top'],
    ['/mail/?a#top?b', '/mail/?a&r=7#top?b'],
    ['/mail/#top?b', '/mail/?r=7#top?b'],
    ['http://host', 'http://host?r=7'],
    ['/\xff?\xfe', '/\xff?\xfe&r=7'],
  ])('%j becomes %j', (target, marked) => {
    expect(markTarget(target, 'r=7')).toBe(marked);
  });
});

describe('markRequests', () => {
  test('numbers requests on from batch to batch, and leaves the rest of them as it is', async () => {
    const request = { millisecond: 1, method: 'POST', target: '/', line: 3 };
    const { items } = await outcomeOf(markRequests([[request, request], [], [request]], 'id'));
    expect(items).toEqual([1, 2, 3].map((number) => ({ ...request, target: `/?id=${String(number)}` })));
  });
});
