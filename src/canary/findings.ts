import type { DeliveryFinding } from '../findings/delivery.js';
import { FindingCounts } from '../findings/finding-counts.js';
import type { LatencySummary } from '../findings/latencies.js';
import { namesOf, type Kinds } from '../wording.js';

/** Milliseconds after which an outstanding record is missing, unless another time is given. */
export const DEFAULT_LATE_MS = 30_000;

/** The kinds of finding, in the order in which counts are given. */
export const CANARY_FINDINGS = {
  missing: { meaning: 'a record did not arrive in time, see --late' },
  late: { meaning: 'a missing record arrived after all, and is no longer missing' },
  duplicated: { meaning: 'a record arrived once more than it was written' },
  altered: { meaning: 'a record arrived with other bytes, or another value of a field' },
  reordered: { meaning: 'a record arrived after one that was written later' },
  foreign: { meaning: 'anything else with the mark of this run' },
} as const satisfies Kinds;

/** The kind of a finding. */
export type CanaryKind = keyof typeof CANARY_FINDINGS;

/** The names of all kinds of finding, in their order. */
export const CANARY_KINDS = namesOf(CANARY_FINDINGS);

/** A finding of a canary: a stretch of records in a row of one kind that were found within a second. */
export interface CanaryFinding extends DeliveryFinding<CanaryKind> {
  /** The time at which the first of them was found: ISO 8601, in UTC. */
  readonly time: string;
}

/** The numbers of a canary at a moment, in records. At its end, sent is delivered and missing and altered. */
export interface CanarySnapshot {
  readonly sent: number;
  /** Records that came unchanged, those that came late included. */
  readonly delivered: number;
  /** Records that were sent, have not come, and are not due. */
  readonly outstanding: number;
  /** The age of the oldest of them, in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
  /** Records by kind of finding, allowed kinds included. A record that came late is no longer missing. */
  readonly counts: Readonly<Record<CanaryKind, number>>;
  /** Received records that are not of this run. */
  readonly others: number;
  /** Of the records delivered, those in which bytes that are not UTF-8 were replaced; only with `isLossy`. */
  readonly lossy: number;
  /** The times that records took; undefined until one has come. */
  readonly latency: LatencySummary | undefined;
  /** Findings of kinds that are not allowed, and those of them that were given. */
  readonly findings: number;
  readonly shown: number;
}

/** A record with a finding. */
export interface FoundRecord {
  /** The input that its line is in, as findings name it. */
  readonly source: string;
  /** Its number among the records of this run in that input. */
  readonly record: number;
  readonly line: number;
  /** Its line, a byte string without LF. */
  readonly text: string;
}

/** Records in a row of one kind. */
interface Stretch {
  finding: CanaryFinding;
  /** The number of the record that would continue it. */
  next: number;
  readonly sinceMs: number;
}

/** Records of a kind that follow one another within this time are one finding. */
const STRETCH_MS = 1000;

const MINUTE_MS = 60_000;

/** Findings that wait to be taken: of more, those of a reader that has stalled, only the number is kept. */
const MAX_READY = 10_000;

/** Counts the findings of a canary, and joins records in a row of one kind into one finding. */
export class CanaryFindings {
  readonly counts: FindingCounts<CanaryKind>;
  readonly #wallNow: () => number;
  readonly #open = new Map<CanaryKind, Stretch>();
  #ready: CanaryFinding[] = [];
  #minute = NaN;

  /** @param max findings that are given in a minute at most; all are counted */
  constructor(allowed: ReadonlySet<CanaryKind>, max: number, wallNow: () => number) {
    this.counts = new FindingCounts(CANARY_KINDS, allowed, max);
    this.#wallNow = wallNow;
  }

  /** Adds a record. One that came altered is a finding of its own. @param more the alteration, or why it cannot be a record */
  add(
    kind: CanaryKind,
    { source, record, line, text }: FoundRecord,
    nowMs: number,
    more: Pick<CanaryFinding, 'expectedLine' | 'expectedText' | 'how'> = {},
  ): void {
    this.counts.add(kind);
    if (this.counts.isAllowed(kind)) return;
    const open = this.#open.get(kind);
    if (open?.finding.source === source && open.next === record && open.finding.how === more.how) {
      open.finding = { ...open.finding, records: open.finding.records + 1, lastLine: line };
      open.next += 1;
      return;
    }
    if (open !== undefined) this.#end(open, nowMs);
    const time = new Date(this.#wallNow()).toISOString();
    const finding = { time, kind, source, line, lastLine: line, records: 1, text, ...more };
    if (kind === 'altered') this.#give(finding, nowMs);
    else this.#open.set(kind, { finding, next: record + 1, sinceMs: nowMs });
  }

  /** Ends the stretches that began a second ago, or all. */
  end(nowMs: number, isAll = false): void {
    for (const stretch of this.#open.values()) if (isAll || nowMs - stretch.sinceMs >= STRETCH_MS) this.#end(stretch, nowMs);
  }

  /** Takes out the findings that are ready. */
  take(): readonly CanaryFinding[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  #end({ finding }: Stretch, nowMs: number): void {
    this.#open.delete(finding.kind);
    this.#give(finding, nowMs);
  }

  #give(finding: CanaryFinding, nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.counts.renew();
    this.#minute = minute;
    if (this.counts.show(finding.kind, this.#ready.length < MAX_READY)) this.#ready.push(finding);
  }
}
