import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findAlteration } from '../../src/compare/alteration.js';
import { digestBytes, digestLossy, isLossyCopy } from '../../src/compare/equality.js';
import type { ComparisonFinding } from '../../src/compare/findings.js';
import { Join } from '../../src/compare/join.js';
import { createReader } from '../../src/compare/records.js';
import { Ring } from '../../src/compare/ring.js';
import { GapFindings } from '../../src/compare/gap-findings.js';
import { countsOf, logOf } from '../support/compared.js';

/** A small ring, in which a step has room. */
const SLOTS = 1 << 15;

interface Joined {
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly ComparisonFinding[];
  /** The most positions that were in use at a time. */
  readonly used: number;
}

/** Joins logs in pieces of so many bytes. @param onStep is shown the ring of what came before each step */
function join(
  [sentLog, receivedLog]: readonly [string, string],
  pieceBytes: number,
  { isLossy = false, onStep }: { readonly isLossy?: boolean; readonly onStep?: (received: Ring) => void } = {},
): Joined {
  const made = new Join({
    digestRecord: isLossy ? digestLossy : digestBytes,
    isSame: isLossy ? isLossyCopy : undefined,
    sent: [{ source: 'sent' }],
    received: [{ source: 'came' }],
    slots: SLOTS,
  });
  const settle = new GapFindings(made, findAlteration, {});
  const findings: ComparisonFinding[] = [];
  let used = 0;
  const blocksOf = (log: string) => {
    const reader = createReader(0, {});
    const blocks = function* () {
      for (let at = 0; at < log.length; at += pieceBytes)
        yield* reader.read(Buffer.from(log.slice(at, at + pieceBytes), 'latin1'));
    };
    return blocks();
  };
  const blocks = { sent: blocksOf(sentLog), received: blocksOf(receivedLog) };
  for (let need = made.next(); need !== undefined; need = made.next()) {
    onStep?.(made.received.waiting);
    used = Math.max(used, ...[made.sent.waiting, made.received.waiting].map(({ first, next }) => next - first));
    if (need === 'decision') {
      const undecided = (): number => made.sent.waiting.size + made.received.waiting.size + made.order.length;
      const before = undecided();
      for (const batch of settle.decide(false)) findings.push(...batch);
      if (undecided() >= before) throw new Error('a decision that decides nothing would be asked for without an end');
    } else {
      made[need].keep();
      const block = blocks[need].next();
      if (block.done === true) made[need].isDry = true;
      else made[need].append(block.value);
    }
  }
  for (const batch of settle.decide(true)) findings.push(...batch);
  const summary = { counts: settle.counts };
  const { missing = 0, altered = 0, ...counts } = countsOf({ summary });
  const delivered = made.sent.record - missing - altered;
  return { counts: { ...counts, missing, altered, delivered }, findings, used };
}

/** A generator of numbers below a limit, by a seed. */
function draws(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A log of records of a few values, or with a mark each; and what a pipeline makes of it: loss, repetition, moves, changes. */
function drawLogs(seed: number, records: number, values: number): readonly [readonly string[], readonly string[]] {
  const draw = draws(seed);
  const sent = Array.from(
    { length: records },
    (_, index) => `a record of the value ${String(values === 0 ? index : draw(values))}`,
  );
  const came = [...sent];
  for (let change = draw(30); change > 0; change -= 1) {
    const length = 1 + draw(draw(2) === 0 ? 4 : 1500);
    const from = draw(came.length);
    const kind = draw(5);
    if (kind === 0) came.splice(from, length);
    else if (kind === 1) came.splice(draw(came.length), 0, ...came.slice(from, from + length));
    else if (kind === 2) came.splice(draw(came.length), 0, ...came.splice(from, length));
    else if (kind === 3) came[from] = `${came[from] ?? ''}, altered`;
    else came.splice(from, 0, ...Array.from({ length }, () => `something else ${String(draw(9))}`));
  }
  return [sent, came];
}

/** The number of records that two logs have in common, as multisets. */
function commonOf(sent: readonly string[], came: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of sent) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of came) {
    const count = left.get(line) ?? 0;
    if (count > 0) common += 1;
    left.set(line, count - 1);
  }
  return common;
}

const SEED = fc.integer({ min: 0, max: 0xffffffff });

describe('the join', () => {
  test.each([0, 2, 40])('counts records as multisets, in logs of %i values (0: each has its own)', (values) => {
    fc.assert(
      fc.property(SEED, fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 40, max: 70_000 }), (seed, records, pieceBytes) => {
        const [sent, came] = drawLogs(seed, records, values);
        const { counts, findings } = join([logOf(sent), logOf(came)], pieceBytes);
        const { missing = 0, altered = 0, delivered, duplicated = 0, foreign = 0, reordered = 0 } = counts;
        const common = commonOf(sent, came);
        expect({ delivered, surplus: altered + missing, more: altered + duplicated + foreign }).toEqual({
          delivered: common,
          surplus: sent.length - common,
          more: came.length - common,
        });
        const found = findings.reduce((sum, finding) => sum + finding.records, 0);
        expect(found).toBe(missing + altered + duplicated + foreign + reordered);
      }),
      { numRuns: 8 },
    );
  });

  test.each<[what: string, came: (index: number, draw: (limit: number) => number) => string, most: number]>([
    ['all is lost', () => '', 0],
    ['every second is lost', (index) => (index % 2 === 0 ? '' : `record ${String(index)}\n`), 20_000],
    ['something else comes', (index) => `other ${String(index)}\n`, 0],
    ['few values come', (_index, draw) => `record ${String(draw(5))}\n`, 5],
    ['some are shuffled far away', (index, draw) => `record ${String(draw(9) === 0 ? draw(40_000) : index)}\n`, 40_000],
  ])('adds up, and keeps to its room, where there is too little: %s', (_what, recordAt, most) => {
    const draw = draws(7);
    const numbers = Array.from({ length: 40_000 }, (_, index) => index);
    const sent = logOf(numbers.map((index) => `record ${String(index)}`));
    const came = numbers.map((index) => recordAt(index, draw)).join('');
    const { counts, used } = join([sent, came], 65_536);
    const { missing = 0, altered = 0, delivered = 0, duplicated = 0, foreign = 0 } = counts;
    expect(used).toBeLessThanOrEqual(SLOTS);
    expect(delivered).toBeLessThanOrEqual(most);
    expect(delivered + missing + altered).toBe(40_000);
    expect(delivered + altered + duplicated + foreign).toBe(came.split('\n').length - 1);
  });

  test.each<[what: string, altered: number, isAltered: (index: number) => boolean]>([
    ['each one', 40_000, () => true],
    // Only one of the rings has slots of those that were delivered: it is full before the other one.
    ['seven of eight', 35_000, (index) => index % 8 !== 0],
    // No gap is before the first run, which stays in place, and all that waits is behind it.
    ['those behind the first hundred', 39_900, (index) => index >= 100],
  ])('pairs records that came altered where there is too little room: %s', (_what, altered, isAltered) => {
    const sent = Array.from({ length: 40_000 }, (_, index) => `record ${String(index)} of a log`);
    const came = sent.map((line, index) => (isAltered(index) ? line.replace('log', 'fog') : line));
    const { counts } = join([logOf(sent), logOf(came)], 65_536);
    expect(counts).toEqual({ delivered: 40_000 - altered, altered, missing: 0 });
  });

  // Where both sides go on together, lines are compared as bytes: several times as fast as records that are looked up.
  test('goes on with both sides together behind a stretch that moved to the end', () => {
    const sent = Array.from({ length: 40_000 }, (_, index) => `record ${String(index)}`);
    const waiting: number[] = [];
    const { counts } = join([logOf(sent), logOf([...sent.slice(4000), ...sent.slice(0, 4000)])], 16_384, {
      onStep: (received) => waiting.push(received.size),
    });
    expect(counts).toEqual({ delivered: 40_000, missing: 0, altered: 0, reordered: 4000 });
    expect(Math.max(...waiting)).toBeGreaterThan(1000);
    expect(waiting.filter((size) => size > 0).length).toBeLessThan(waiting.length / 2);
  });

  test('of records with equal digests matches those that are copies, each once', () => {
    const record = fc.constantFrom('a\xff', 'a\xff\xff', 'a?', 'a??', 'a???', 'b', 'c');
    const log = fc.array(record, { maxLength: 40 });
    fc.assert(
      fc.property(log, log, fc.integer({ min: 3, max: 200 }), (sent, came, pieceBytes) => {
        const { counts } = join([logOf(sent), logOf(came)], pieceBytes, { isLossy: true });
        const { missing = 0, altered = 0, delivered = 0, duplicated = 0, foreign = 0 } = counts;
        expect(delivered + altered + missing).toBe(sent.length);
        expect(delivered + altered + duplicated + foreign).toBe(came.length);
        const plain = (lines: readonly string[]): readonly string[] => lines.filter((line) => !/[?\xff]/.test(line));
        expect(delivered).toBeGreaterThanOrEqual(commonOf(plain(sent), plain(came)));
        // Any other match is of a record and a copy of it.
        const copies = (line: string): number => came.filter((other) => line === other || isLossyCopy(line, other)).length;
        expect(delivered).toBeLessThanOrEqual(sent.filter((line) => copies(line) > 0).length);
      }),
    );
  });
});

test('records with equal digests are looked at until no more may be', () => {
  const ring = new Ring(4096, false, false);
  const digest = { low: 1, high: 7, exact: 0 };
  for (let record = 0; record < 3000; record += 1)
    ring.add({ ...digest, record, line: 1, address: 0, seenMs: NaN, reason: undefined, isDuplicate: false });
  let looks = 0;
  const isSameAt = (): boolean | undefined => ((looks += 1) > 50 ? undefined : false);
  expect([ring.find({ ...digest, exact: 1 }, isSameAt), looks]).toEqual([-1, 51]);
});

test('the digest of a text is as it was: another mixing of bytes would have to be judged anew', () => {
  const digest = { low: 0, high: 0, exact: 0 };
  digestBytes(Buffer.from('a record of some length'), 0, 23, digest);
  expect(digest).toEqual({ low: 944_511_715, high: -486_527_262, exact: 944_511_715 });
});
