import { FindingCounts } from '../findings/finding-counts.js';
import type { FindAlteration } from './alteration.js';
import { FINDING_KINDS, type ComparisonFinding, type FindingKind } from './findings.js';
import { pairGap, type AlteredRecord, type GapSide } from './gap-pairs.js';
import type { Join, JoinedSide } from './join.js';
import type { CompareOptions } from './options.js';
import { INPUT_SPAN, inputOf } from './records.js';
import type { WaitingRecord } from './ring.js';

/** Consecutive records of one side: the number, line and text of the first one, how many they are (default: 1), and the line of the last. */
interface Stretch extends Pick<WaitingRecord, 'record' | 'line' | 'address'> {
  readonly records?: number;
  readonly lastLine?: number;
}

/** The last stretch, which the record of number `next` may continue. The finding is undefined where it is not shown. */
interface OpenStretch {
  readonly kind: FindingKind;
  readonly how: string | undefined;
  readonly side: JoinedSide;
  readonly input: number;
  next: number;
  readonly finding: (ComparisonFinding & { lastLine: number; records: number }) | undefined;
}

/** With this many bytes of texts, findings are given before their gap is at its end. */
const MAX_READY_BYTES = 1 << 20;

/**
 * Turns what waits into findings, gap by gap between two runs that stay in place: first what is missing in it, then what came there. Records in
 * a row of one kind are one finding.
 */
export class GapFindings {
  readonly counts: FindingCounts<FindingKind>;
  readonly #join: Join;
  readonly #findAlteration: FindAlteration;
  #open: OpenStretch | undefined;
  /** The findings that are complete and have not been given, and the bytes of their texts. */
  readonly #ready: ComparisonFinding[] = [];
  #readyBytes = 0;
  /** The first run that this decision has not given. */
  #run = 0;

  constructor(join: Join, findAlteration: FindAlteration, { allow, max }: Pick<CompareOptions, 'allow' | 'max'>) {
    this.#join = join;
    this.#findAlteration = findAlteration;
    this.counts = new FindingCounts(FINDING_KINDS, allow, max);
  }

  /** Decides everything at the end, and where nothing waits; else the oldest gaps, until there is room again. */
  *decide(isEnd: boolean): Generator<readonly ComparisonFinding[]> {
    const { order, sent, received } = this.#join;
    const isAll = isEnd || (sent.waiting.size === 0 && received.waiting.size === 0);
    const leastRuns = order.isFull ? order.length / 2 : 0;
    const stays = order.weigh();
    const missing = gapsIn(sent, isAll, (position) => textOf(sent, position));
    const came = gapsIn(received, isAll, (position) => this.#candidateText(position));
    let decided = { sent: 0, received: 0 };
    this.#run = 0;
    while (isAll || this.#run < leastRuns || missing.areDue() || came.areDue()) {
      const kept = stays.indexOf(1, this.#run);
      const run = kept === -1 ? undefined : order.at(kept);
      const [sentGap, receivedGap] = [missing.next(run?.sent), came.next(run?.received)];
      const endRun = run === undefined ? order.length : kept;
      yield* this.#decideGap(sentGap, receivedGap, endRun, isAll || run !== undefined);
      if (run === undefined) break;
      this.#run = kept + 1;
      decided = { sent: run.sent + run.length, received: run.received + run.length };
    }
    order.drop(this.#run, isAll ? { sent: sent.record, received: received.record } : decided);
    if (isAll) for (const { texts } of [sent, received]) texts.clear();
    if (isAll) this.#close();
    yield* this.#give();
  }

  /** Decides the gap before a run, or those records in it that have waited for too long. */
  *#decideGap(missing: GapSide, came: GapSide, endRun: number, isWhole: boolean): Generator<readonly ComparisonFinding[]> {
    const { sent, received } = this.#join;
    const describes = (): boolean => this.counts.mayShow('altered');
    let [missingAt, cameAt] = [0, 0];
    for (const { missingEnd, cameEnd, altered } of pairGap(missing, came, this.#findAlteration, isWhole, describes)) {
      for (const { originals } of altered.values()) for (const position of originals) sent.waiting.remove(position);
      for (const position of missing.positions.subarray(missingAt, missingEnd)) {
        if (!sent.waiting.has(position)) continue;
        sent.waiting.remove(position);
        this.#add('missing', sent, sent.waiting.at(position));
        if (this.#readyBytes >= MAX_READY_BYTES) yield* this.#give();
      }
      for (const position of came.positions.subarray(cameAt, cameEnd)) {
        received.waiting.remove(position);
        this.#giveCame(position, altered.get(position), endRun);
        if (this.#readyBytes >= MAX_READY_BYTES) yield* this.#give();
      }
      [missingAt, cameAt] = [missingEnd, cameEnd];
      yield* this.#give();
    }
    this.#giveMovedBefore(Infinity, endRun);
  }

  #candidateText(position: number): string | undefined {
    const { received } = this.#join;
    const record = received.waiting.at(position);
    return record.reason !== undefined || this.#isDuplicate(record) ? undefined : textOf(received, position);
  }

  #isDuplicate(record: WaitingRecord): boolean {
    return record.reason === undefined && (record.isDuplicate || this.#join.recent.has(record));
  }

  #giveCame(position: number, altered: AlteredRecord | undefined, endRun: number): void {
    const { sent, received } = this.#join;
    const record = received.waiting.at(position);
    this.#giveMovedBefore(record.record, endRun);
    if (altered === undefined) {
      this.#add(this.#isDuplicate(record) ? 'duplicated' : 'foreign', received, record, record.reason);
      return;
    }
    const { originals, how } = altered;
    for (const [index, original] of originals.entries()) {
      this.#add('altered', received, record, undefined, () => {
        const { line, address } = sent.waiting.at(original);
        const joined = `record ${String(index + 1)} of ${String(originals.length)} on one line`;
        const expected = { expectedLine: line % INPUT_SPAN, expectedText: sent.texts.read(address, true).toString('latin1') };
        return { how: originals.length === 1 ? how : joined, ...expected };
      });
    }
  }

  /** Gives the runs that came before a received record, up to that at an index: they are out of order. */
  #giveMovedBefore(endRecord: number, endRun: number): void {
    const { received, order } = this.#join;
    for (; this.#run < endRun && order.at(this.#run).received < endRecord; this.#run += 1) {
      const { received: record, length: records, line, lastLine, address } = order.at(this.#run);
      this.#add('reordered', received, { record, records, line, lastLine, address });
    }
  }

  /** Counts records in a row of a kind. They continue the last finding, or begin one. @param how why they cannot be records */
  #add(kind: FindingKind, side: JoinedSide, stretch: Stretch, how?: string, describe?: () => Partial<ComparisonFinding>): void {
    const { record, records = 1, line, lastLine = line, address } = stretch;
    const input = inputOf(line);
    this.counts.add(kind, records);
    const open = this.#open;
    const isOfKind = kind !== 'altered' && open?.kind === kind && open.how === how;
    if (isOfKind && open.side === side && open.input === input && open.next === record) {
      open.next += records;
      if (open.finding === undefined) return;
      open.finding.records += records;
      open.finding.lastLine = lastLine % INPUT_SPAN;
      return;
    }
    this.#close();
    // The text is read while it is there; of what is not shown, not at all.
    const finding = this.counts.show(kind)
      ? {
          kind,
          source: side.sources[input] ?? '',
          line: line % INPUT_SPAN,
          lastLine: lastLine % INPUT_SPAN,
          records,
          text: side.texts.read(address, true).toString('latin1'),
          ...(how !== undefined && { how }),
          ...describe?.(),
        }
      : undefined;
    this.#open = { kind, how, side, input, next: record + records, finding };
  }

  #close(): void {
    const finding = this.#open?.finding;
    this.#open = undefined;
    if (finding === undefined) return;
    this.#ready.push(finding);
    this.#readyBytes += finding.text.length + (finding.expectedText?.length ?? 0);
  }

  *#give(): Generator<readonly ComparisonFinding[]> {
    this.#readyBytes = 0;
    if (this.#ready.length > 0) yield this.#ready.splice(0);
  }
}

function textOf({ texts, waiting }: JoinedSide, position: number): string {
  return texts.read(waiting.at(position).address).toString('latin1');
}

/** The records of a side that wait, gap by gap. @param isAll true to decide all of them; else those that have waited for too long */
function gapsIn({ waiting }: JoinedSide, isAll: boolean, textAt: GapSide['textAt']) {
  const positions = new Float64Array(waiting.size);
  let at = 0;
  for (const position of waiting.positions()) {
    positions[at] = position;
    at += 1;
  }
  at = 0;
  const isDue = (index: number): boolean => isAll || (positions[index] ?? Infinity) < waiting.duePosition;
  return {
    areDue: () => at < positions.length && isDue(at),
    /** The next gap. @param before the first record behind it */
    next: (before = Infinity): GapSide => {
      const start = at;
      while (at < positions.length && waiting.at(positions[at] ?? 0).record < before) at += 1;
      let due = start;
      while (due < at && isDue(due)) due += 1;
      return { positions: positions.subarray(start, at), due: due - start, textAt };
    },
  };
}
