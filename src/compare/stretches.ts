import { FindingCounts } from '../findings/finding-counts.js';
import { FINDING_KINDS, type ComparisonFinding, type FindingKind } from './findings.js';
import type { JoinedSide } from './join.js';
import { INPUT_SPAN } from './records.js';

/** Consecutive records of one side. */
interface Stretch {
  readonly side: JoinedSide;
  /** The number of the first record on its side. */
  readonly record: number;
  readonly records: number;
  readonly line: number;
  readonly lastLine: number;
  /** The address of the first record's text. */
  readonly address: number;
}

/** A stretch that may go on, and what is found of it. */
interface OpenStretch {
  readonly kind: FindingKind;
  readonly how: string | undefined;
  stretch: Stretch;
  /** The parts of its finding that its first record tells; undefined where it is not shown. */
  readonly shown: (Partial<ComparisonFinding> & Pick<ComparisonFinding, 'text'>) | undefined;
}

/** Counts findings, and joins records in a row of one kind into one finding. */
export class Stretches {
  readonly counts: FindingCounts<FindingKind>;
  /** The number of findings of kinds that are not allowed. */
  findings = 0;
  readonly #max: number;
  /** The last stretch, which the next record may continue. */
  #open: OpenStretch | undefined;
  #ready: ComparisonFinding[] = [];

  /**
   * @param allowed kinds that are counted and not given
   * @param max findings that are given at most; all are counted
   */
  constructor(allowed: ReadonlySet<FindingKind> | undefined, max: number) {
    this.counts = new FindingCounts(FINDING_KINDS, allowed);
    this.#max = max;
  }

  /**
   * Adds consecutive records of a kind.
   *
   * @param how why they cannot be records
   * @param describe tells more of a record that came altered; called only where its finding is shown
   */
  add(kind: FindingKind, stretch: Stretch, how?: string, describe?: () => Partial<ComparisonFinding>): void {
    this.counts.add(kind, stretch.records);
    const open = this.#open;
    if (kind !== 'altered' && open?.kind === kind && open.how === how && continues(stretch, open.stretch)) {
      const records = open.stretch.records + stretch.records;
      open.stretch = { ...open.stretch, records, lastLine: stretch.lastLine };
      return;
    }
    this.end();
    const isAllowed = this.counts.isAllowed(kind);
    // The text is read while it is there; of what is not shown, not at all.
    const isShown = !isAllowed && this.findings < this.#max;
    const shown = isShown ? { text: stretch.side.texts.readShown(stretch.address), ...describe?.() } : undefined;
    this.#open = { kind, how, stretch, shown };
    if (!isAllowed) this.findings += 1;
  }

  /** Ends the last stretch. */
  end(): void {
    const open = this.#open;
    if (open?.shown !== undefined) {
      const { kind, how, shown } = open;
      const { side, line, lastLine, records } = open.stretch;
      const source = side.sources[inputOf(line)] ?? '';
      this.#ready.push({
        kind,
        source,
        line: line % INPUT_SPAN,
        lastLine: lastLine % INPUT_SPAN,
        records,
        ...shown,
        ...(how !== undefined && { how }),
      });
    }
    this.#open = undefined;
  }

  /** Takes out the findings that are ready. */
  take(): readonly ComparisonFinding[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  get readyCount(): number {
    return this.#ready.length;
  }
}

/** True for records that come right behind others in the same input. */
function continues({ side, record, line }: Stretch, before: Stretch): boolean {
  return before.side === side && before.record + before.records === record && inputOf(before.line) === inputOf(line);
}

function inputOf(line: number): number {
  return Math.floor(line / INPUT_SPAN);
}
