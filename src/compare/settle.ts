import type { ComparisonFinding } from './findings.js';
import { pairGap, type AlteredPair, type FindAlteration } from './gap-pairs.js';
import type { Join } from './join.js';
import { INPUT_SPAN } from './records.js';
import type { Ring } from './ring.js';
import type { ShownSide, Stretches } from './stretches.js';

/** The findings of a gap are given together, unless it holds more altered records than this. */
const MAX_PAIRS = 1 << 14;

/** The records of each side that are decided at a time, and those of them that are looked at only: they may belong to others behind. */
const PART = 1 << 16;
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
      if (!isAll && this.#run >= leastRuns && !this.#isDue) break;
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
    if (stretches.readyCount > 0) yield stretches.take();
  }

  /** True if a record that is not decided has waited for too long. */
  get #isDue(): boolean {
    const { waitingSent, waitingReceived } = this.#join;
    const isDueIn = (ring: Ring, from: number): boolean => ring.nextWaiting(from) < ring.duePosition;
    return isDueIn(waitingSent, this.#sentAt) || isDueIn(waitingReceived, this.#receivedAt);
  }

  /** Decides a gap, a part at a time, or those records in it that have waited for too long. */
  #settleGap(gap: Gap, isAll: boolean): void {
    const { waitingSent, waitingReceived } = this.#join;
    const [sentDue, receivedDue] = isAll ? [Infinity, Infinity] : [waitingSent.duePosition, waitingReceived.duePosition];
    for (let isLeft = true; isLeft;) {
      // Beside what is due, records of the other side are looked at, however long they have waited: more of those may be gone.
      const came = positionsBefore(waitingReceived, this.#receivedAt, gap.receivedEnd, PART);
      const most = came.length < LOOKED_AT ? Infinity : PART;
      const missing = positionsBefore(waitingSent, this.#sentAt, gap.sentEnd, most);
      const isPart = missing.length === most || came.length === PART;
      const due = isPart ? PART - LOOKED_AT : Infinity;
      const [dueSent, dueReceived] = [countBefore(missing, sentDue), countBefore(came, receivedDue)];
      this.#settlePart(gap, missing, came, {
        dueSent: Math.min(due, dueSent),
        dueReceived: Math.min(due, dueReceived),
        isWhole: isAll && !isPart,
      });
      isLeft = dueSent > due || dueReceived > due;
      if (isLeft) continue;
      this.#sentAt = (missing.at(-1) ?? this.#sentAt - 1) + 1;
      this.#receivedAt = (came.at(-1) ?? this.#receivedAt - 1) + 1;
    }
  }

  /** Decides records of a gap. @param missing the positions of those that were sent @param came the positions of those that came */
  #settlePart(
    { endRun, receivedEnd }: Gap,
    missing: readonly number[],
    came: readonly number[],
    { dueSent, dueReceived, isWhole }: { readonly dueSent: number; readonly dueReceived: number; readonly isWhole: boolean },
  ): void {
    const { waitingSent, waitingReceived } = this.#join;
    const { findAlteration, sent, received } = this.#options;
    const unlike: number[] = [];
    for (const [index, position] of came.entries()) if (this.#mayBeAltered(position)) unlike.push(index);
    const textsSent = (index: number): string => sent.texts.readShown(waitingSent.at(missing[index] ?? 0).place);
    const textsReceived = (index: number): string =>
      received.texts.read(waitingReceived.at(came[unlike[index] ?? 0] ?? 0).place).toString('latin1');
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
      for (let index = missingDone; index < missingEnd; index += 1)
        if (!altered.has(index)) this.#giveMissing(missing[index] ?? 0);
      for (let index = cameDone; index < cameEnd; index += 1) this.#giveCame(came[index] ?? 0, pairs.get(index), missing, endRun);
      for (let index = missingDone; index < missingEnd; index += 1) waitingSent.remove(missing[index] ?? 0);
      [missingDone, cameDone] = [missingEnd, cameEnd];
      pairs = new Map();
    };
    for (const { pairs: found, pieces, expectedDone, receivedDone } of parts) {
      if (missingPaired >= dueSent && camePaired >= dueReceived) break;
      for (const pair of found) {
        const index = unlike[pair.received] ?? 0;
        pairs.set(index, [...(pairs.get(index) ?? []), pair]);
      }
      // A further piece belongs to the finding of the record: it has none of its own.
      for (const piece of pieces) pairs.set(unlike[piece] ?? 0, []);
      missingPaired = expectedDone;
      camePaired = unlike[receivedDone] ?? came.length;
      if (pairs.size >= MAX_PAIRS) give(missingPaired, camePaired);
    }
    give(Math.max(missingPaired, dueSent), Math.max(camePaired, dueReceived));
    // Behind the last run that stays in place, what came before the next record that waits is given, too.
    const left = receivedEnd === Infinity ? came[cameDone] : undefined;
    this.#giveMovedBefore(left === undefined ? receivedEnd : waitingReceived.at(left).record, endRun);
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
  #giveCame(position: number, pairs: readonly AlteredPair[] | undefined, missing: readonly number[], endRun: number): void {
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
      const original = waitingSent.at(missing[expected] ?? 0);
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

/** The positions of the records that wait before a record, from a position on, up to a number of them. */
function positionsBefore(ring: Ring, from: number, record: number, most: number): readonly number[] {
  const positions: number[] = [];
  for (let position = ring.nextWaiting(from); position < ring.next; position = ring.nextWaiting(position + 1)) {
    if (positions.length === most || ring.at(position).record >= record) break;
    positions.push(position);
  }
  return positions;
}

/** The number of positions before another, in ascending order. */
function countBefore(positions: readonly number[], position: number): number {
  const index = positions.findIndex((other) => other >= position);
  return index === -1 ? positions.length : index;
}
