import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { drawBelow, drawOne, startDrawing } from '../../src/requests/draws.js';

const PURPOSE = [0x1234, 0x5678] as const;

describe('startDrawing', () => {
  const drawn = (purpose: readonly [number, number], seed: number, stream: number): readonly number[] => {
    const draw = startDrawing(purpose, seed, stream);
    return [draw(), draw(), draw()];
  };

  test('gives the same numbers for the same purpose, seed and stream, and others for any other', () => {
    const streams = [
      drawn(PURPOSE, 1, 1),
      drawn(PURPOSE, 2, 1),
      drawn(PURPOSE, 1, 2),
      drawn([0x4321, 0x5678], 1, 1),
      drawn([0x1234, 0x8765], 1, 1),
      drawn(PURPOSE, 2 ** 32 + 1, 1),
      drawn(PURPOSE, 1, 2 ** 32 + 1),
    ];
    expect(new Set(streams.map(String)).size).toBe(streams.length);
    expect(drawn(PURPOSE, 1, 1)).toEqual(streams[0]);
  });

  test('gives numbers from 0 up to 1, evenly', () => {
    const draw = startDrawing(PURPOSE, 1, 1);
    const numbers = Array.from({ length: 10_000 }, draw);
    expect(numbers.filter((number) => !(number >= 0 && number < 1))).toEqual([]);
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
  });
});

test.each([
  [0, 0],
  [0.2499, 0],
  [0.25, 1],
  [0.9999, 3],
])('a draw of %d below 4 is %i', (number, expected) => {
  expect(drawBelow(4, () => number)).toBe(expected);
});

test('drawOne gives each of the values, and refuses to draw from none', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), fc.nat(), (values, at) => {
      expect(drawOne(values, () => (at % values.length) / values.length)).toBe(values[at % values.length]);
    }),
  );
  expect(() => drawOne([], () => 0)).toThrow(new RangeError('there is nothing to draw from'));
});
