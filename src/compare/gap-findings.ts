import { FindingCounts } from '../findings/finding-counts.js';
import type { FindAlteration } from './alteration.js';
import { FINDING_KINDS, type ComparisonFinding, type FindingKind } from './findings.js';
import { pairGap, type GapSide } from './gap-pairs.js';
import type { Join, JoinedSide } from './join.js';
import type { CompareOptions } from './options.js';
import type { Run } from './order.js';
import { INPUT_SPAN, inputOf } from './records.js';
import type { WaitingRecord } from './ring.js';

type Stretch = Pick<WaitingRecord, 'record' | 'line' | 'address'> & Partial<Pick<Run, 'length' | 'lastLine'>>;

/** With this many bytes of texts, findings are given before their gap is at its end. */
const MAX_READY_BYTES = 1 << 20;

/** Turns what waits into findings, gap by gap between two runs that stay in place. Records in a row of one kind are one finding. */
export class GapFindings {
  readonly counts: FindingCounts<FindingKind>;
  /** The last finding, which the record of number `#next` may continue. */
  #open: (ComparisonFinding & { lastLine: number; records: number }) | undefined;
  #next = 0;
  #input = 0;
  #isShown = false;
  /** Findings that have ended and have not been given, and the bytes of their texts. */
  readonly #ready: ComparisonFinding[] = [];
  #readyBytes = 0;
  /** The first run that this decision has not given. */
  #run = 0;

  constructor(
    private readonly join: Join,
    private readonly findAlteration: FindAlteration,
    { allow, max }: Pick<CompareOptions, 'allow' | 'max'>,
  ) {
    this.counts = new FindingCounts(FINDING_KINDS, allow, max);
  }

  /** Decides everything at the end, and where nothing waits; else the oldest gaps, until there is room again. */
  *decide(isEnd: boolean): Generator<readonly ComparisonFinding[]> {
    const { order, sent, received } = this.join;
    const isAll = isEnd || (sent.waiting.size === 0 && received.waiting.size === 0);
    const leastRuns = order.isFull ? order.length / 2 : 0;
    const stays = order.weigh();
    const missing = gapsIn(sent, isAll, (position) => sent.textAt(position));
    const came = gapsIn(received, isAll, (position) => this.#candidateText(position));
    let decided = { sent: 0, received: 0 };
    this.#run = 0;
    while (isAll || this.#run < leastRuns || missing.areDue() || came.areDue()) {
      const kept = stays.indexOf(1, this.#run);
      const run = kept === -1 ? undefined : order.at(kept);
      const [sentGap, receivedGap] = [missing.next(run?.sent), came.next(run?.received)];
      yield* this.#decideGap(sentGap, receivedGap, run === undefined ? order.length : kept, isAll || run !== undefined);
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
    const { sent, received } = this.join;
    let [missingAt, cameAt] = [0, 0];
    for (const { missingEnd, cameEnd, altered } of pairGap(missing, came, this.findAlteration, isWhole)) {
      for (const originals of altered.values()) for (const position of originals) sent.waiting.remove(position);
      for (const position of missing.positions.subarray(missingAt, missingEnd)) {
        if (!sent.waiting.has(position)) continue;
        sent.waiting.remove(position);
        this.#add('missing', sent, sent.waiting.at(position));
        if (this.#readyBytes >= MAX_READY_BYTES) yield* this.#give();
      }
      for (const position of came.positions.subarray(cameAt, cameEnd)) {
        received.waiting.remove(position);
        this.#addCame(position, altered.get(position), endRun);
        if (this.#readyBytes >= MAX_READY_BYTES) yield* this.#give();
      }
      [missingAt, cameAt] = [missingEnd, cameEnd];
      yield* this.#give();
    }
    this.#addMovedBefore(Infinity, endRun);
  }

  #candidateText(position: number): string | undefined {
    const { received } = this.join;
    const record = received.waiting.at(position);
    return record.reason !== undefined || this.#isDuplicate(record) ? undefined : received.textAt(position);
  }

  #isDuplicate(record: WaitingRecord): boolean {
    return record.reason === undefined && (record.isDuplicate || this.join.recent.has(record));
  }

  /** @param originals the missing records that it is, altered; undefined if it is none */
  #addCame(position: number, originals: readonly number[] | undefined, endRun: number): void {
    const { sent, received } = this.join;
    const record = received.waiting.at(position);
    this.#addMovedBefore(record.record, endRun);
    if (originals === undefined) this.#add(this.#isDuplicate(record) ? 'duplicated' : 'foreign', received, record, record.reason);
    for (const [index, original] of originals?.entries() ?? []) {
      const describe = (): Partial<ComparisonFinding> => {
        const joined = `record ${String(index + 1)} of ${String(originals?.length)} on one line`;
        const how = this.findAlteration(sent.textAt(original), received.textAt(position))?.describe() ?? '';
        const { line } = sent.waiting.at(original);
        const expected = { expectedLine: line % INPUT_SPAN, expectedText: sent.textAt(original, true) };
        return { how: originals?.length === 1 ? how : joined, ...expected };
      };
      this.#add('altered', received, record, undefined, describe);
    }
  }

  /** Adds the runs that came before a received record, up to that at an index: they are out of order. */
  #addMovedBefore(endRecord: number, endRun: number): void {
    const { received, order } = this.join;
    for (; this.#run < endRun && order.at(this.#run).received < endRecord; this.#run += 1) {
      const { received: record, length, line, lastLine, address } = order.at(this.#run);
      this.#add('reordered', received, { record, length, line, lastLine, address });
    }
  }

  /** Counts records in a row of a kind. They continue the last finding, or end it and begin one. @param how why they cannot be records */
  #add(
    kind: FindingKind,
    { sources, texts }: JoinedSide,
    { record, length = 1, line, lastLine = line, address }: Stretch,
    how?: string,
    describe?: () => Partial<ComparisonFinding>,
  ): void {
    this.counts.add(kind, length);
    const isNext = kind === this.#open?.kind && how === this.#open.how && record === this.#next;
    if (this.#open === undefined || kind === 'altered' || !isNext || inputOf(line) !== this.#input) {
      this.#close();
      this.#input = inputOf(line);
      this.#isShown = this.counts.show(kind);
      // The text is read while it is there; of what is not shown, not at all.
      const text = this.#isShown ? texts.read(address, true).toString('latin1') : '';
      const more = { ...(how !== undefined && { how }), ...(this.#isShown && describe?.()) };
      this.#open = { kind, source: sources[this.#input] ?? '', line: line % INPUT_SPAN, lastLine: 0, records: 0, text, ...more };
    }
    this.#open.records += length;
    this.#open.lastLine = lastLine % INPUT_SPAN;
    this.#next = record + length;
  }

  #close(): void {
    const finding = this.#open;
    this.#open = undefined;
    if (finding === undefined || !this.#isShown) return;
    this.#ready.push(finding);
    this.#readyBytes += finding.text.length + (finding.expectedText?.length ?? 0);
  }

  *#give(): Generator<readonly ComparisonFinding[]> {
    this.#readyBytes = 0;
    if (this.#ready.length > 0) yield this.#ready.splice(0);
  }
}

/** The records of a side that wait, gap by gap. @param isAll true to decide all of them; else those that have waited for too long */
function gapsIn({ waiting }: JoinedSide, isAll: boolean, textAt: GapSide['textAt']) {
  const positions = Float64Array.from(waiting.positions());
  const undue = isAll ? -1 : positions.findIndex((position) => position >= waiting.duePosition);
  const dueEnd = undue === -1 ? positions.length : undue;
  let at = 0;
  return {
    areDue: () => at < dueEnd,
    /** The next gap. @param before the first record behind it */
    next: (before = Infinity): GapSide => {
      const start = at;
      while (at < positions.length && waiting.at(positions[at] ?? 0).record < before) at += 1;
      return { positions: positions.subarray(start, at), due: Math.max(0, Math.min(at, dueEnd) - start), textAt };
    },
  };
}
