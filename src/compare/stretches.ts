import { FindingCounts } from '../findings/finding-counts.js';
import { FINDING_KINDS, type ComparisonFinding, type FindingKind } from './findings.js';
import type { JoinedSide } from './join.js';
import { INPUT_SPAN, inputOf } from './records.js';

/** Consecutive records of one side. */
interface Stretch {
  /** The number of the first record on its side. */
  readonly record: number;
  /** The number of records. Default: 1. */
  readonly records?: number;
  readonly line: number;
  /** Default: the line of the first record. */
  readonly lastLine?: number;
  /** The address of the first record's text. */
  readonly address: number;
}

/** The last stretch, which the next record may continue. */
interface OpenStretch {
  readonly kind: FindingKind;
  readonly how: string | undefined;
  readonly side: JoinedSide;
  readonly input: number;
  /** The number of the record that would continue it. */
  next: number;
  /** Undefined where it is not shown. */
  readonly finding: (ComparisonFinding & { lastLine: number; records: number }) | undefined;
}

/** The bytes of texts from which on findings are given, though their gap is not at its end. */
const MAX_SHOWN_BYTES = 1 << 20;

/** Counts findings, and joins records in a row of one kind into one finding. */
export class Stretches {
  readonly counts: FindingCounts<FindingKind>;
  #open: OpenStretch | undefined;
  /** The findings that are shown and have not been taken, that of the open stretch included, and the bytes of their texts. */
  readonly #shown: ComparisonFinding[] = [];
  #shownBytes = 0;

  /**
   * @param allow kinds that are counted and not given
   * @param max the largest number of findings that are given; all are counted
   */
  constructor(allow: Iterable<FindingKind> | undefined, max: number | undefined) {
    this.counts = new FindingCounts(FINDING_KINDS, allow, max);
  }

  /**
   * Adds consecutive records of a kind.
   *
   * @param how why they cannot be records
   * @param describe tells more of a record that came altered; called only where its finding is shown
   */
  add(kind: FindingKind, side: JoinedSide, stretch: Stretch, how?: string, describe?: () => Partial<ComparisonFinding>): void {
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
    // The text is read while it is there; of what is not shown, not at all.
    const finding = this.counts.show(kind)
      ? {
          kind,
          source: side.sources[input] ?? '',
          line: line % INPUT_SPAN,
          lastLine: lastLine % INPUT_SPAN,
          records,
          text: side.texts.readShown(address),
          ...(how !== undefined && { how }),
          ...describe?.(),
        }
      : undefined;
    if (finding !== undefined) {
      this.#shown.push(finding);
      this.#shownBytes += finding.text.length + (finding.expectedText?.length ?? 0);
    }
    this.#open = { kind, how, side, input, next: record + records, finding };
  }

  /** True if the findings should be taken before more are added: their texts may be long. */
  get isHeavy(): boolean {
    return this.#shownBytes >= MAX_SHOWN_BYTES;
  }

  /** Takes out the findings that are complete, if there are any. @param isEnd true if no record continues the last one */
  *take(isEnd: boolean): Generator<readonly ComparisonFinding[]> {
    if (isEnd) this.#open = undefined;
    this.#shownBytes = 0;
    const complete = this.#shown.length - (this.#open?.finding === undefined ? 0 : 1);
    if (complete > 0) yield this.#shown.splice(0, complete);
  }
}
