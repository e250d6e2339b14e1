import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Gives the next random number, a multiple of 2^-32 from 0 up to, but not including, 1. */
export type Draw = () => number;

/** A generator started from small numbers is not mixed well before these draws. */
const MIXING_DRAWS = 32;
const TWO_TO_32 = 2 ** 32;

/** Starts a stream of random numbers, one for each combination of whole numbers. @param purpose two constants, unique to each purpose */
export function startDrawing(purpose: readonly [number, number], seed: number, stream: number): Draw {
  const generator = xoroshiro128plusFromState([
    Math.floor(seed / TWO_TO_32) ^ purpose[0],
    seed | 0,
    Math.floor(stream / TWO_TO_32) ^ purpose[1],
    stream | 0,
  ]);
  for (let count = 0; count < MIXING_DRAWS; count += 1) generator.next();
  return () => (generator.next() >>> 0) / TWO_TO_32;
}

export function drawBelow(end: number, draw: Draw): number {
  return Math.floor(draw() * end);
}

export function drawOne<T>(values: readonly T[], draw: Draw): T {
  const value = values[drawBelow(values.length, draw)];
  if (value === undefined) throw new RangeError('there is nothing to draw from');
  return value;
}
