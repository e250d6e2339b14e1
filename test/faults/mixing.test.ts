import { expect, test } from '@jest/globals';
import { drawTurns } from '../../src/faults/clusters.js';
import { startDrawing } from '../../src/requests/draws.js';

const draw = startDrawing([1, 2], 3, 4);

/**
 * A pattern of two writers of eight records, such as `A7 B7 A1 B1`. As in a log, where the deprecation records of a second are alike,
 * each belongs to the group that had its load failures first.
 */
function drawPattern(): string {
  const written = [0, 0];
  const waiting: number[] = [];
  const runs: { name: string; count: number }[] = [];
  for (const turn of drawTurns(2, 8, draw)) {
    written[turn] = (written[turn] ?? 0) + 1;
    if (written[turn] === 7) waiting.push(turn);
    const writer = written[turn] === 8 ? waiting.shift() : turn;
    const name = writer === 0 ? 'A' : 'B';
    const last = runs.at(-1);
    if (last?.name === name) last.count += 1;
    else runs.push({ name, count: 1 });
  }
  return runs.map(({ name, count }) => name + String(count)).join(' ');
}

// Shares of the pairs of the model with which the capture was compared: 42, 42, 28 and 60 of 172.
test('the turns of two writers are those of the model, which come near to a capture of 16 clients', () => {
  const count = 20_000;
  const counts = { swapped: 0, cut: 0, broken: 0, other: 0 };
  for (let index = 0; index < count; index += 1) {
    const pattern = drawPattern();
    if (pattern === 'A7 B7 A1 B1') counts.swapped += 1;
    else if (/^A\d B8 A\d$/.test(pattern)) counts.cut += 1;
    else if (/^A7 B\d A1 B\d$/.test(pattern)) counts.broken += 1;
    else counts.other += 1;
  }
  for (const [kind, expected] of [
    ['swapped', 42],
    ['cut', 42],
    ['broken', 28],
    ['other', 60],
  ] as const) {
    expect(Math.abs((counts[kind] / count) * 172 - expected)).toBeLessThan(8);
  }
});
