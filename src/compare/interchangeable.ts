import type { SettledOrder } from './delivery-order.js';
import type { Digest } from './digest.js';
import type { Places, Run } from './run-list.js';
import type { Unmatched } from './unmatched.js';

/** Longer runs are not taken apart: that so many records in a row have equals elsewhere is no chance. */
const MAX_RUN = 16;

/** No more records are looked at. */
const MAX_RECORDS = 1 << 16;

/** Those who know the records. */
interface Known {
  readonly unmatchedExpected: Unmatched;
  readonly unmatchedReceived: Unmatched;
  /** Puts the digest of a record of the expected log, by its number, into `digest`. */
  readonly digestSent: (record: number, digest: Digest) => void;
}

/**
 * The runs that are still out of order when equal records may change places. A record was paired with one of its equals far away, and
 * another equal record waits, or is out of order too, where the first one would be in order: that one is its counterpart, and nothing
 * was moved. Which of the equals is missing or came once too often then makes no difference.
 */
export function withoutInterchangeable(order: SettledOrder, known: Known): Iterable<Run> {
  const { moved } = order;
  const records = moved.lengths.reduce((sum, length) => sum + (length > MAX_RUN ? 0 : length), 0);
  if (records === 0 || records > MAX_RECORDS) return moved;
  const finder = new CounterpartFinder(order, known);
  return Array.from(moved).flatMap((run) => {
    if (run.length > MAX_RUN) return [run];
    const singles = Array.from({ length: run.length }, (_, index) => ({
      expected: run.expected + index,
      received: run.received + index,
      length: 1,
    }));
    return singles.filter((single) => !finder.isInOrder(single));
  });
}

class CounterpartFinder {
  readonly #order: SettledOrder;
  readonly #known: Known;
  /** The expected records of short runs that were moved, by digest. */
  readonly #moved = new Map<string, number[]>();
  readonly #digest: Digest = { low: 0, high: 0 };
  /** The last counterpart in each gap, so that those of one gap are in order. */
  #lastExpected = -1;
  #lastReceived = -1;

  constructor(order: SettledOrder, known: Known) {
    this.#order = order;
    this.#known = known;
    for (const { expected, length } of order.moved) {
      if (length > MAX_RUN) continue;
      for (let record = expected; record < expected + length; record += 1) {
        known.digestSent(record, this.#digest);
        const key = keyOf(this.#digest);
        const equal = this.#moved.get(key);
        if (equal === undefined) this.#moved.set(key, [record]);
        else equal.push(record);
      }
    }
  }

  isInOrder({ expected, received }: Run): boolean {
    const { unmatchedExpected, unmatchedReceived, digestSent } = this.#known;
    digestSent(expected, this.#digest);
    const sent = this.#rangeAt(
      (run) => run.received,
      received,
      (run) => run.expected,
    );
    const counterparts = [
      ...unmatchedExpected.equalTo(this.#digest).map((slot) => unmatchedExpected.records[slot] ?? 0),
      ...(this.#moved.get(keyOf(this.#digest)) ?? []),
    ];
    const counterpart = counterparts
      .sort((one, other) => one - other)
      .find((record) => record > Math.max(sent.after, this.#lastExpected) && record < sent.before);
    if (counterpart !== undefined) {
      this.#lastExpected = counterpart;
      return true;
    }
    const came = this.#rangeAt(
      (run) => run.expected,
      expected,
      (run) => run.received,
    );
    const waiting = unmatchedReceived
      .equalTo(this.#digest)
      .map((slot) => unmatchedReceived.records[slot] ?? 0)
      .find((record) => record > Math.max(came.after, this.#lastReceived) && record < came.before);
    if (waiting === undefined) return false;
    this.#lastReceived = waiting;
    return true;
  }

  /** Between which records of the other side a record would be in order. */
  #rangeAt(
    sideOf: (run: Places) => number,
    record: number,
    otherOf: (run: Places) => number,
  ): { readonly after: number; readonly before: number } {
    const { kept, from, until } = this.#order;
    let first = 0;
    let last = kept.length;
    while (first < last) {
      const middle = (first + last) >>> 1;
      const run = kept.at(middle);
      if (run !== undefined && sideOf(run) < record) first = middle + 1;
      else last = middle;
    }
    const previous = kept.at(first - 1);
    const next = kept.at(first);
    return {
      after: previous === undefined ? otherOf(from) - 1 : otherOf(previous) + previous.length - 1,
      before: otherOf(next ?? until),
    };
  }
}

function keyOf({ low, high }: Digest): string {
  return `${String(low)} ${String(high)}`;
}
