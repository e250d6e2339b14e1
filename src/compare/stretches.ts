import { FindingCounts } from '../findings/finding-counts.js';
import { FINDING_KINDS, type ComparisonFinding, type FindingKind } from './findings.js';
import { INPUT_SPAN } from './records.js';
import type { Texts } from './texts.js';

/** The records of one side, as findings show them. */
export interface ShownSide {
  /** The names of its inputs, in order. */
  readonly sources: readonly string[];
  readonly texts: Texts;
}

/** Consecutive records of one side. */
interface Stretch {
  readonly side: ShownSide;
  /** The number of the first record on its side. */
  readonly record: number;
  readonly records: number;
  readonly line: number;
  readonly lastLine: number;
  /** The place of the first record's text. */
  readonly place: number;
}

/** Counts findings, and joins records in a row of one kind into one finding. */
export class Stretches {
  readonly counts: FindingCounts<FindingKind>;
  /** The number of findings of kinds that are not allowed. */
  findings = 0;
  readonly #max: number;
  /** The last stretch, which the next record may continue, and its kind and what it shows. */
  #open: Stretch | undefined;
  #kind: FindingKind = 'foreign';
  #how: string | undefined;
  #text: string | undefined;
  /** The records of the last stretch so far, and the line of the last one. */
  #records = 0;
  #lastLine = 0;
  #ready: ComparisonFinding[] = [];

  /**
   * @param allowed kinds that are counted and not given
   * @param max findings that are given at most; all are counted
   */
  constructor(allowed: ReadonlySet<FindingKind> | undefined, max: number) {
    this.counts = new FindingCounts(FINDING_KINDS, allowed);
    this.#max = max;
  }

  /** Adds consecutive records of a kind. They are counted once the stretch has ended. @param how why they cannot be records */
  add(kind: FindingKind, stretch: Stretch, how?: string): void {
    if (!this.#continues(kind, stretch, how)) {
      this.end();
      this.#open = stretch;
      this.#kind = kind;
      this.#how = how;
      // The text is read while it is there; of what is not shown, not at all.
      this.#text = this.#isShown(kind) ? stretch.side.texts.readShown(stretch.place) : undefined;
    }
    this.#records += stretch.records;
    this.#lastLine = stretch.lastLine;
  }

  /** Adds a record that came altered: a finding of its own. @param describe is called only where the finding is shown */
  addAltered(record: Stretch, describe: () => Pick<ComparisonFinding, 'expectedLine' | 'expectedText' | 'how'>): void {
    this.end();
    if (this.#isShown('altered')) this.#give('altered', record, record.side.texts.readShown(record.place), describe());
    this.#count('altered', 1);
  }

  /** Ends the last stretch. */
  end(): void {
    const [open, text] = [this.#open, this.#text];
    if (open === undefined) return;
    if (text !== undefined) {
      const stretch = { ...open, records: this.#records, lastLine: this.#lastLine };
      this.#give(this.#kind, stretch, text, this.#how === undefined ? {} : { how: this.#how });
    }
    this.#count(this.#kind, this.#records);
    this.#open = undefined;
    this.#records = 0;
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

  #continues(kind: FindingKind, { side, record, line }: Stretch, how: string | undefined): boolean {
    const open = this.#open;
    if (open === undefined || kind !== this.#kind || how !== this.#how) return false;
    return open.side === side && open.record + this.#records === record && inputOf(open.line) === inputOf(line);
  }

  #isShown(kind: FindingKind): boolean {
    return this.findings < this.#max && !this.counts.isAllowed(kind);
  }

  #count(kind: FindingKind, records: number): void {
    this.counts.add(kind, records);
    if (!this.counts.isAllowed(kind)) this.findings += 1;
  }

  #give(kind: FindingKind, { side, line, lastLine, records }: Stretch, text: string, more: Partial<ComparisonFinding>): void {
    const source = side.sources[inputOf(line)] ?? '';
    this.#ready.push({ kind, source, line: line % INPUT_SPAN, lastLine: lastLine % INPUT_SPAN, records, text, ...more });
  }
}

function inputOf(line: number): number {
  return Math.floor(line / INPUT_SPAN);
}
