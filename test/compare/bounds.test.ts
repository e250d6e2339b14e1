import { describe, expect, test } from '@jest/globals';
import { compareLogs } from '../../src/compare/compare-logs.js';
import { Order } from '../../src/compare/order.js';
import { collect } from '../support/bytes.js';
import { briefly, compare, countsOf, logOf, sourceOf } from '../support/compared.js';

const numbered = (from: number, to: number): string =>
  logOf(Array.from({ length: to - from }, (_, index) => `record number ${String(from + index)}`));

describe('bytes that are not UTF-8, in many records that are else equal', () => {
  const INVALID = Array.from({ length: 128 }, (_, index) => String.fromCharCode(0x80 + index));
  const sent = INVALID.map((byte) => `GET /caf${byte}`);

  test.each<[how: string, came: readonly string[]]>([
    ['unchanged', sent],
    ['escaped', INVALID.map((byte) => `GET /caf\\x${byte.charCodeAt(0).toString(16)}`)],
    ['replaced', sent.map(() => 'GET /caf?')],
  ])('all are delivered in the opposite order, %s', async (_how, came) => {
    const compared = await compare(logOf(sent), logOf(came.toReversed()), { lossy: true });
    expect([compared.summary.recordsDelivered, countsOf(compared)['missing']]).toEqual([128, undefined]);
  });

  test('long lines of too many signs are no copies, and are soon told', async () => {
    const [sentLines, cameLines] = [0, 1].map((side) =>
      Array.from({ length: 12 }, (_, index) => (side === 0 ? '\xff'.repeat(100_000 - index) : '?'.repeat(300_000 - index))),
    );
    const compared = await compare(logOf(sentLines ?? []), logOf(cameLines ?? []), { lossy: true });
    expect(compared.summary.recordsDelivered).toBe(0);
  });
});

describe('records that have to move', () => {
  test('over two received files are two findings', async () => {
    const compared = await compare(numbered(1, 101), [numbered(61, 101) + numbered(11, 16), numbered(16, 21)]);
    expect(briefly(compared).filter((finding) => finding.endsWith('reordered'))).toEqual([
      'came-1.log:41-45 reordered',
      'came-2.log:1-5 reordered',
    ]);
  });

  test.each([
    { sent: 50, received: 50, stays: [0, 0, 1] },
    { sent: 0, received: 50, stays: [0, 0, 1] },
    { sent: 50, received: 0, stays: [0, 0, 1] },
    { sent: 0, received: 0, stays: [1, 0, 1] },
  ])('those before what is decided never stay, and hold no other back: %j', ({ sent, received, stays }) => {
    const order = new Order();
    order.drop(0, { sent, received });
    order.add({ sent: 20, received: 30, length: 9, line: 1 }, () => 0);
    order.add({ sent: 10, received: 40, length: 5, line: 2 }, () => 0);
    order.add({ sent: 60, received: 60, length: 1, line: 3 }, () => 0);
    expect(Array.from(order.weigh())).toEqual(stays);
  });
});

describe('long lines', () => {
  test('that repeat themselves are soon found to be unlike', async () => {
    const [sent, came] = ['a'.repeat(400_000), `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`];
    expect(countsOf(await compare(`${sent}\n`, `${came}\n`))).toEqual({ missing: 1, foreign: 1 });
  });

  test.each([
    ['in its middle', 3000, 9000, 'its first 3000 bytes gone, cut after 9000 bytes'],
    ['to its end', 3000, 10_000, 'its first 3000 bytes gone'],
    ['from its beginning', 0, 9000, 'cut after 9000 bytes'],
  ])('a piece of a line, %s', async (_where, from, to, how) => {
    const line = Array.from({ length: 2500 }, (_, index) => String(index % 997).padStart(4, '_')).join('');
    expect(briefly(await compare(`${line}\n`, `${line.slice(from, to)}\n`))).toEqual([`came.log:1 altered: ${how}`]);
  });

  test('the findings of a gap are given before their texts fill the memory, each text cut', async () => {
    const lines = Array.from({ length: 4 }, (_, index) => String(index).padStart(8, '0').repeat(200_000));
    const cut = logOf(lines.map((line) => line.slice(0, -9)));
    const batches = await collect(compareLogs(sourceOf('sent.log', logOf(lines)), [sourceOf('came.log', cut)]));
    expect(batches.filter((batch) => batch.length > 0).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    const [first] = batches.flat();
    expect([first?.kind, (first?.text.length ?? 0) < 1_200_000]).toEqual(['altered', true]);
  });
});
