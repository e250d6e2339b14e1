import type { Digest } from './digest.js';
import { EditScriptFinder, SYNC_LENGTH, type Edit } from './edit-script.js';
import { LOOKAHEAD, type RecordWindow } from './record-window.js';
import { slideEdits } from './slide-edits.js';

/** At a difference, the records so near are looked at first. */
export const NEAR = 64;

/** So many steps may be taken to find an edit script for each record that is passed, and so many at the beginning. */
const STEPS_PER_RECORD = 64;
const FIRST_STEPS = 1 << 22;

/** A window that is cut off says little about what is at its end: so much of it is used. */
const USED_SHARE = 0.75;

/** A cut-off window is used if this share of it is common to both sides. */
const COMMON_SHARE = 0.25;

/**
 * Searches for the edit script between the next records of both sides. A search takes time with the square of its edits, so the steps of
 * all searches are limited by the records that have been passed: the time of a comparison stays in proportion to the length of the logs.
 */
export class EditSearch {
  readonly #expected: RecordWindow;
  readonly #received: RecordWindow;
  readonly #finder = new EditScriptFinder();
  /** The steps spent so far. */
  #spent = 0;
  readonly #digest: Digest = { low: 0, high: 0 };

  constructor(expected: RecordWindow, received: RecordWindow) {
    this.#expected = expected;
    this.#received = received;
  }

  /** The way in which both sides go on together within so many records; undefined if they do not. */
  find(size: number): readonly Edit[] | undefined {
    const expected = this.#expected;
    const received = this.#received;
    const firstLength = expected.lookAhead(size);
    const secondLength = received.lookAhead(size);
    const firstEnds = expected.hasEnded && expected.lookAhead(size + 1) === firstLength;
    const secondEnds = received.hasEnded && received.lookAhead(size + 1) === secondLength;
    const equals = (first: number, second: number): boolean => expected.equals(first, received, second);
    if (this.#hasSpent(size)) return undefined;
    if (!this.#isWorthwhile(firstLength, secondLength)) return undefined;
    const script = this.#finder.find({ firstLength, secondLength, firstEnds, secondEnds, equals });
    const { common, isSure } = script;
    this.#spent += script.edits.length ** 2 / 2;
    if (!isSure && (size < LOOKAHEAD || common < COMMON_SHARE * Math.min(firstLength, secondLength))) return undefined;
    const edits = slideEdits(
      script.edits,
      (place, other) => expected.equals(place, expected, other),
      (place, other) => received.equals(place, received, other),
    );
    return isSure ? edits : usedPart(edits, USED_SHARE * firstLength, USED_SHARE * secondLength);
  }

  /** True if the steps are spent: half of them are kept for small windows. */
  #hasSpent(size: number): boolean {
    const budget = FIRST_STEPS + STEPS_PER_RECORD * (this.#expected.record + this.#received.record);
    return this.#spent > (size > NEAR ? budget / 2 : budget);
  }

  /** True if both windows have enough records in common; false only where both are full. */
  #isWorthwhile(firstLength: number, secondLength: number): boolean {
    const expected = this.#expected;
    const received = this.#received;
    if (firstLength < LOOKAHEAD || secondLength < LOOKAHEAD) return true;
    const lows = new Set<number>();
    for (let ahead = 0; ahead < firstLength; ahead += 1) {
      expected.readDigest(ahead, this.#digest);
      lows.add(this.#digest.low);
    }
    let common = 0;
    for (let ahead = 0; ahead < secondLength; ahead += 1) {
      received.readDigest(ahead, this.#digest);
      if (lows.has(this.#digest.low)) common += 1;
    }
    return common >= SYNC_LENGTH;
  }
}

/** As much of an edit script as does not go beyond a place in either sequence. */
function usedPart(edits: readonly Edit[], firstUntil: number, secondUntil: number): readonly Edit[] {
  let first = 0;
  let second = 0;
  const used: Edit[] = [];
  for (const edit of edits) {
    if (first >= firstUntil || second >= secondUntil) break;
    used.push(edit);
    first += edit.removed + edit.common;
    second += edit.inserted + edit.common;
  }
  return used;
}
