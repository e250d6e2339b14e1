import { LOOKAHEAD, type RecordsAhead } from './records-ahead.js';

export interface AlignedPair {
  readonly sent: number;
  readonly received: number;
}

/** The share of the records that must be common, each directly behind another: of near ones, and of all ahead. */
const NEAR_SHARE = 0.6;
const LEAST_SHARE = 0.01;
const DECIDED_SHARE = 0.75;

/** A near alignment that ends in this many common records in a row tells surely how both sides go on. */
const SURE_RUN = 16;

const WORD_BITS = 32;

export interface AlignedRecords {
  /** The pairs of common records, in order, then the end of what is decided. */
  readonly pairs: readonly AlignedPair[];
  readonly isSure: boolean;
}

/** Finds a longest common subsequence with bit vectors, in the same time whatever repeats (Hyyrö, "Bit-parallel LCS-length computation revisited"). */
export class Aligner {
  /** Half of the digest of each record: unlike records are taken for equal a few times in a million alignments. */
  readonly #sent = new Int32Array(LOOKAHEAD);
  readonly #received = new Int32Array(LOOKAHEAD);
  /** A row for each digest, of a bit for each sent record, from the last one on: 1 where it has that digest. */
  readonly #masks = new Int32Array((LOOKAHEAD * LOOKAHEAD) / WORD_BITS);
  /** A row for each received record: 1 where the longest common subsequence from both records on is as long without the sent one. */
  readonly #rows = new Int32Array(((LOOKAHEAD + 1) * LOOKAHEAD) / WORD_BITS);

  /** Aligns `reach` records of each side at most; undefined if too few are common. @param areLast true if no more can come on either side */
  align(sent: RecordsAhead, received: RecordsAhead, reach: number, areLast: boolean): AlignedRecords | undefined {
    const first = readDigests(sent, reach, this.#sent);
    const second = readDigests(received, reach, this.#received);
    const words = Math.ceil(first.length / WORD_BITS);
    this.#fillRows(first, second, words);
    const common: AlignedPair[] = [];
    let inRow = 0;
    let run = 0;
    for (let one = 0, other = 0; one < first.length && other < second.length;) {
      const bit = first.length - 1 - one;
      const isCommon = first[one] === second[other];
      const isRemoved = !isCommon && (((this.#rows[other * words + (bit >>> 5)] ?? 0) >>> (bit & 31)) & 1) === 1;
      if (isCommon) common.push({ sent: one, received: other });
      if (isCommon && run > 0) inRow += 1;
      run = isCommon ? run + 1 : 0;
      if (isCommon || isRemoved) one += 1;
      if (!isRemoved) other += 1;
    }
    const areEnds = areLast && Math.max(first.length, second.length) < reach;
    const least = (reach < LOOKAHEAD ? NEAR_SHARE : LEAST_SHARE) * Math.min(first.length, second.length);
    if (!areEnds && inRow < least) return undefined;
    const share = areEnds ? 1 : DECIDED_SHARE;
    const end = { sent: Math.ceil(share * first.length), received: Math.ceil(share * second.length) };
    const decided = common.filter((pair) => pair.sent < end.sent && pair.received < end.received);
    const next = common[decided.length] ?? end;
    const last = { sent: Math.min(next.sent, end.sent), received: Math.min(next.received, end.received) };
    return { pairs: [...decided, last], isSure: areEnds || run >= SURE_RUN };
  }

  #fillRows(first: Int32Array, second: Int32Array, words: number): void {
    const [masks, rows] = [this.#masks.fill(0, 0, first.length * words), this.#rows];
    const maskOf = new Map<number, number>();
    for (const [index, digest] of first.entries()) {
      const mask = maskOf.get(digest) ?? maskOf.size * words;
      maskOf.set(digest, mask);
      const bit = first.length - 1 - index;
      masks[mask + (bit >>> 5)] = (masks[mask + (bit >>> 5)] ?? 0) | (1 << (bit & 31));
    }
    rows.fill(-1, second.length * words, (second.length + 1) * words);
    for (let index = second.length - 1; index >= 0; index -= 1) {
      const mask = maskOf.get(second[index] ?? 0);
      let carry = 0;
      for (let word = 0; word < words; word += 1) {
        const before = rows[(index + 1) * words + word] ?? 0;
        const bits = mask === undefined ? 0 : (masks[mask + word] ?? 0);
        const sum = (before >>> 0) + ((before & bits) >>> 0) + carry;
        carry = sum >= 2 ** WORD_BITS ? 1 : 0;
        rows[index * words + word] = sum | (before & ~bits);
      }
    }
  }
}

function readDigests(side: RecordsAhead, reach: number, digests: Int32Array): Int32Array {
  const length = side.scan(reach);
  for (let index = 0; index < length; index += 1) digests[index] = side.ahead(index)?.low ?? 0;
  return digests.subarray(0, length);
}
