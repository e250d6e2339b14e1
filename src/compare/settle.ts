import type { ComparisonFinding } from './findings.js';
import { pairGap, type AlteredPair, type FindAlteration } from './gap-pairs.js';
import type { Join } from './join.js';
import { INPUT_SPAN } from './records.js';
import type { Ring } from './ring.js';
import type { ShownSide, Stretches } from './stretches.js';

/** The findings of a gap are given together, unless it holds more altered records than this. */
const MAX_PAIRS = 1 << 14;

/** The records of each side that are decided at a time, and those of them that are looked at only: they may belong to others behind. */
const PART = 1 << 18;
const LOOKED_AT = 1 << 12;

/** Findings are given in batches of about this size. */
const BATCH_FINDINGS = 256;

/** The end of a gap: the index of the run behind it, and the first records of that on both sides. */
interface Gap {
  readonly endRun: number;
  readonly sentEnd: number;
  readonly receivedEnd: number;
}

interface SettleOptions {
  readonly findAlteration: FindAlteration;
  readonly sent: ShownSide;
  readonly received: ShownSide;
  readonly stretches: Stretches;
}

/**
 * Turns what waits into findings, gap by gap: a gap lies between two runs that stay in place. First what is missing in it, then what
 * came there.
 */
export class Settle {
  readonly #join: Join;
  readonly #options: SettleOptions;
  /** The first positions in both rings that this decision has not seen, and the first run that it has not given. */
  #sentAt = 0;
  #receivedAt = 0;
  #run = 0;
  /** The positions of the records of a part, and the indices of those that may be altered ones. */
  readonly #missing = new Positions();
  readonly #came = new Positions();
  readonly #unlike = new Positions();

  constructor(join: Join, options: SettleOptions) {
    this.#join = join;
    this.#options = options;
  }

  /**
   * Decides everything at the end, and where nothing waits. Else there is no room: decides what has waited longest, the oldest gap
   * first, and half of the runs if there are too many.
   */
  *decide(isEnd: boolean): Generator<readonly ComparisonFinding[]> {
    const { order, sent, waitingSent, waitingReceived } = this.#join;
    const { stretches } = this.#options;
    const isAll = isEnd || (waitingSent.size === 0 && waitingReceived.size === 0);
    const leastRuns = order.isFull ? order.length / 2 : 0;
    const stays = order.weigh();
    this.#sentAt = waitingSent.first;
    this.#receivedAt = waitingReceived.first;
    this.#run = 0;
    let decidedSent = isAll ? sent.record : 0;
    for (;;) {
      const kept = stays.indexOf(1, this.#run);
      const run = kept === -1 ? undefined : order.at(kept);
      const endRun = run === undefined ? stays.length : kept;
      const gap = { endRun, sentEnd: run?.sent ?? Infinity, receivedEnd: run?.received ?? Infinity };
      if (!isAll && this.#run >= leastRuns && !this.#isDue(gap)) break;
      this.#settleGap(gap, isAll);
      if (stretches.readyCount >= BATCH_FINDINGS) yield stretches.take();
      if (run === undefined) break;
      this.#run = kept + 1;
      decidedSent = Math.max(decidedSent, run.sent + run.length);
    }
    while (this.#run < leastRuns) this.#giveMoved();
    order.drop(this.#run, decidedSent);
    if (isAll) {
      stretches.end();
      for (const { texts } of isEnd ? [] : [this.#options.sent, this.#options.received]) texts.clear();
    }
    yield stretches.take();
  }

  /** True if a record in a gap has waited for too long. */
  #isDue({ sentEnd, receivedEnd }: Gap): boolean {
    const { waitingSent, waitingReceived } = this.#join;
    const isDueIn = (ring: Ring, from: number, end: number): boolean => {
      const position = ring.nextWaiting(from);
      return position < ring.duePosition && ring.at(position).record < end;
    };
    return isDueIn(waitingSent, this.#sentAt, sentEnd) || isDueIn(waitingReceived, this.#receivedAt, receivedEnd);
  }

  /** Decides a gap, a part at a time, or those records in it that have waited for too long. */
  #settleGap(gap: Gap, isAll: boolean): void {
    const { waitingSent, waitingReceived } = this.#join;
    const [sentDue, receivedDue] = isAll ? [Infinity, Infinity] : [waitingSent.duePosition, waitingReceived.duePosition];
    for (let isPart = true; isPart;) {
      const missing = this.#missing.read(waitingSent, this.#sentAt, gap.sentEnd, sentDue + LOOKED_AT);
      const came = this.#came.read(waitingReceived, this.#receivedAt, gap.receivedEnd, receivedDue + LOOKED_AT);
      isPart = missing.length === PART || came.length === PART;
      const dueSent = isPart ? PART - LOOKED_AT : missing.length;
      const dueReceived = isPart ? PART - LOOKED_AT : came.length;
      this.#settlePart(gap, missing, came, {
        dueSent: Math.min(dueSent, missing.countBefore(sentDue)),
        dueReceived: Math.min(dueReceived, came.countBefore(receivedDue)),
        isWhole: isAll && !isPart,
      });
      if (isPart) continue;
      this.#sentAt = missing.length === 0 ? this.#sentAt : missing.at(missing.length - 1) + 1;
      this.#receivedAt = came.length === 0 ? this.#receivedAt : came.at(came.length - 1) + 1;
    }
  }

  /** Decides records of a gap. @param missing the positions of those that were sent @param came the positions of those that came */
  #settlePart(
    { endRun, receivedEnd }: Gap,
    missing: Positions,
    came: Positions,
    { dueSent, dueReceived, isWhole }: { readonly dueSent: number; readonly dueReceived: number; readonly isWhole: boolean },
  ): void {
    const { waitingSent, waitingReceived } = this.#join;
    const { findAlteration, sent, received } = this.#options;
    const unlike = this.#unlike.clear();
    for (let index = 0; index < came.length; index += 1) if (this.#mayBeAltered(came.at(index))) unlike.push(index);
    const textsSent = (index: number): string => sent.texts.readShown(waitingSent.at(missing.at(index)).place);
    const textsReceived = (index: number): string =>
      received.texts.read(waitingReceived.at(came.at(unlike.at(index))).place).toString('latin1');
    const parts = pairGap(
      { length: missing.length, textAt: textsSent },
      { length: unlike.length, textAt: textsReceived },
      findAlteration,
      isWhole,
    );
    let [missingDone, cameDone, missingPaired, camePaired] = [0, 0, 0, 0];
    let pairs = new Map<number, AlteredPair[]>();
    const give = (missingEnd: number, cameEnd: number): void => {
      const altered = new Set([...pairs.values()].flat().map(({ expected }) => expected));
      for (let index = missingDone; index < missingEnd; index += 1) if (!altered.has(index)) this.#giveMissing(missing.at(index));
      for (let index = cameDone; index < cameEnd; index += 1) this.#giveCame(came.at(index), pairs.get(index), missing, endRun);
      for (let index = missingDone; index < missingEnd; index += 1) waitingSent.remove(missing.at(index));
      [missingDone, cameDone] = [missingEnd, cameEnd];
      pairs = new Map();
    };
    for (const { pairs: found, pieces, expectedDone, receivedDone } of parts) {
      if (missingPaired >= dueSent && camePaired >= dueReceived) break;
      for (const pair of found) {
        const index = unlike.at(pair.received);
        pairs.set(index, [...(pairs.get(index) ?? []), pair]);
      }
      // A further piece belongs to the finding of the record: it has none of its own.
      for (const piece of pieces) pairs.set(unlike.at(piece), []);
      missingPaired = expectedDone;
      camePaired = receivedDone < unlike.length ? unlike.at(receivedDone) : came.length;
      if (pairs.size >= MAX_PAIRS) give(missingPaired, camePaired);
    }
    give(Math.max(missingPaired, dueSent), Math.max(camePaired, dueReceived));
    // Behind the last run that stays in place, what came before the next record that waits is given, too.
    const hasLeft = receivedEnd === Infinity && cameDone < came.length;
    this.#giveMovedBefore(hasLeft ? waitingReceived.at(came.at(cameDone)).record : receivedEnd, endRun);
  }

  /** False for a line that cannot be a record, and for a record that came once more than it was sent. */
  #mayBeAltered(position: number): boolean {
    const record = this.#join.waitingReceived.at(position);
    return record.fault === undefined && !record.isRepeated && !this.#join.isRepeated(record);
  }

  #giveMissing(position: number): void {
    const { record, line, place } = this.#join.waitingSent.at(position);
    this.#options.stretches.add('missing', { side: this.#options.sent, record, records: 1, line, lastLine: line, place });
  }

  /** Gives what a record that came is, after the runs that came before it. @param pairs the missing records that it is, altered */
  #giveCame(position: number, pairs: readonly AlteredPair[] | undefined, missing: Positions, endRun: number): void {
    const { waitingSent, waitingReceived } = this.#join;
    const { findAlteration, sent, received, stretches } = this.#options;
    const waiting = waitingReceived.at(position);
    const { record, line, place, fault } = waiting;
    const stretch = { side: received, record, records: 1, line, lastLine: line, place };
    this.#giveMovedBefore(record, endRun);
    if (pairs === undefined) {
      const isRepeated = fault === undefined && (waiting.isRepeated || this.#join.isRepeated(waiting));
      stretches.add(isRepeated ? 'duplicated' : 'foreign', stretch, fault);
    }
    for (const { expected, how } of pairs ?? []) {
      const original = waitingSent.at(missing.at(expected));
      stretches.addAltered(stretch, () => {
        const expectedText = sent.texts.readShown(original.place);
        const alteration = findAlteration(expectedText, received.texts.read(place).toString('latin1'));
        return { how: how ?? alteration?.describe() ?? '', expectedLine: original.line % INPUT_SPAN, expectedText };
      });
    }
    waitingReceived.remove(position);
  }

  /** Gives the runs that came before a received record, up to that at an index: they are out of order. */
  #giveMovedBefore(record: number, endRun: number): void {
    while (this.#run < endRun && this.#join.order.at(this.#run).received < record) this.#giveMoved();
  }

  #giveMoved(): void {
    const { received: record, length, line, lastLine, place } = this.#join.order.at(this.#run);
    this.#options.stretches.add('reordered', { side: this.#options.received, record, records: length, line, lastLine, place });
    this.#run += 1;
  }
}

/**
 * Positions of a ring, or other whole numbers, in ascending order. They are used again, since a quarter of a million numbers in an array
 * of JavaScript would outlive the young generation of the heap.
 */
class Positions {
  length = 0;
  #numbers = new Int32Array(1 << 8);
  /** The numbers are counted from here. */
  #base = 0;

  at(index: number): number {
    return this.#base + (this.#numbers[index] ?? 0);
  }

  clear(base = 0): this {
    this.#base = base;
    this.length = 0;
    return this;
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const numbers = new Int32Array(4 * this.length);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[this.length] = number - this.#base;
    this.length += 1;
  }

  /** Reads the positions of the records that wait before a record, from a position up to another: those of a part at most. */
  read(ring: Ring, from: number, record: number, until: number): this {
    this.clear(from);
    const end = Math.min(ring.next, until);
    for (let position = ring.nextWaiting(from); position < end; position = ring.nextWaiting(position + 1)) {
      if (this.length === PART || ring.at(position).record >= record) break;
      this.push(position);
    }
    return this;
  }

  /** The number of positions before another. */
  countBefore(position: number): number {
    let count = this.length;
    while (count > 0 && this.at(count - 1) >= position) count -= 1;
    return count;
  }
}
