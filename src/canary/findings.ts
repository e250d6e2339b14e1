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

export const CANARY_KINDS = namesOf(CANARY_FINDINGS);

/** A finding of a canary: records of one kind that were found at one look, or during one outage. */
export interface CanaryFinding {
  /** The time at which the first of them was found: ISO 8601, in UTC. */
  readonly time: string;
  readonly kind: CanaryKind;
  /** The number of records. */
  readonly records: number;
  /** The lowest and the highest number of their requests, as the marks have it. */
  readonly request: number;
  readonly lastRequest: number;
  /** When the first of them was written: ISO 8601, in UTC; undefined where this run did not write it. */
  readonly written?: string | undefined;
  /** The received input that they came in; undefined for what is missing. */
  readonly source?: string | undefined;
  /** The first record as it came, or as it was written: a byte string without LF. */
  readonly text: string;
  /** The alteration, or why a line is none of the written records: words that are safe for a terminal. */
  readonly how?: string | undefined;
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
  /** Of those, the ones that equal deprecation records of this run: they came twice, or another source wrote the same. */
  readonly othersEqual: number;
  /** Of the records delivered, those in which bytes that are not UTF-8 were replaced; only with `lossy`. */
  readonly lossy: number;
  /** Truncations of received files while they were followed. */
  readonly truncations: number;
  /** Connections that were made again, where the log is a socket. */
  readonly reconnects: number;
  /** The times that records took; undefined until one has come. */
  readonly latency: LatencySummary | undefined;
  /** Findings of kinds that are not allowed, and those of them that were given. */
  readonly findings: number;
  readonly shown: number;
}

interface FoundRecord extends Pick<CanaryFinding, 'source' | 'text' | 'how'> {
  readonly request: { readonly number: number; readonly writtenMs?: number };
}

const MINUTE_MS = 60_000;

/** Findings that wait to be taken: of more, those of a reader that has stalled, only the number is kept. */
const MAX_READY = 10_000;

/** Findings of one kind that are gathered: of more, the oldest are told. */
const MAX_GATHERED = 1000;

const FOUND_WHEN_DUE: ReadonlySet<CanaryKind> = new Set(['missing', 'altered']);

interface Outage {
  readonly gathered: Map<string, CanaryFinding>;
  /** When findings were told last; -Infinity if there is no outage. */
  toldMs: number;
}

interface Look {
  /** True if a record would have been due that arrived before. */
  readonly hasPassed: boolean;
  /** True if the last record that was or would have been due has not arrived, or not unaltered. */
  readonly endsInLoss: boolean;
  readonly isEnd: boolean;
}

/**
 * Counts the findings of a canary, and joins them: what is found at one look is told at once. In an outage, as long as no sound record is
 * between, further ones are told together, each minute and when records arrive again.
 */
export class CanaryFindings {
  readonly counts: FindingCounts<CanaryKind>;
  /** True if a sound record has arrived in time since the last look. */
  hasArrived = false;
  readonly #outages = new Map<CanaryKind, Outage>();
  readonly #ready: CanaryFinding[] = [];
  #minute = NaN;
  #arrivedMs = -Infinity;

  constructor(
    allowed: Iterable<CanaryKind> | undefined,
    max: number | undefined,
    private readonly wallNow: () => number,
  ) {
    this.counts = new FindingCounts(CANARY_KINDS, allowed, max);
  }

  add(kind: CanaryKind, { request: { number, writtenMs }, source, text, how }: FoundRecord): void {
    this.counts.add(kind);
    if (this.counts.isAllowed(kind)) return;
    const outage = this.#outages.get(kind) ?? { gathered: new Map<string, CanaryFinding>(), toldMs: -Infinity };
    this.#outages.set(kind, outage);
    const key = `${source ?? ''}\n${how ?? ''}`;
    const finding = outage.gathered.get(key) ?? {
      time: isoOf(this.wallNow()),
      kind,
      records: 0,
      request: number,
      lastRequest: number,
      written: writtenMs === undefined ? undefined : isoOf(writtenMs),
      source,
      text,
      how,
    };
    const range = { request: Math.min(finding.request, number), lastRequest: Math.max(finding.lastRequest, number) };
    outage.gathered.set(key, { ...finding, records: finding.records + 1, ...range });
  }

  endLook(nowMs: number, { hasPassed, endsInLoss, isEnd }: Look): void {
    const { hasArrived } = this;
    for (const [kind, outage] of this.#outages) {
      const { gathered, toldMs } = outage;
      const isFoundWhenDue = FOUND_WHEN_DUE.has(kind);
      const isOver = isFoundWhenDue ? hasPassed : hasArrived;
      const isResumed = hasArrived && toldMs > this.#arrivedMs;
      const isTold = isOver || isResumed || isEnd || nowMs - toldMs >= MINUTE_MS || gathered.size > MAX_GATHERED;
      if (gathered.size > 0 && isTold) {
        for (const finding of gathered.values()) this.#give(finding, nowMs);
        gathered.clear();
        outage.toldMs = nowMs;
      }
      if (isOver && !(isFoundWhenDue && endsInLoss)) outage.toldMs = -Infinity;
    }
    if (hasArrived) this.#arrivedMs = nowMs;
    this.hasArrived = false;
  }

  take(): readonly CanaryFinding[] {
    return this.#ready.splice(0);
  }

  #give(finding: CanaryFinding, nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.counts.renew();
    this.#minute = minute;
    if (this.counts.show(finding.kind, this.#ready.length < MAX_READY)) this.#ready.push(finding);
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
