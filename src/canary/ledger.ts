import { formOf } from '../compare/form.js';
import type { FormMismatch } from '../compare/findings.js';
import type { Comparison } from '../compare/options.js';
import { INPUT_SPAN, ReceivedForm, type RecordReader } from '../compare/records.js';
import { Side } from '../compare/side.js';
import { Latencies } from '../findings/latencies.js';
import type { LogRecord } from '../log/line.js';
import { recordsOf, secondOf, type CameRecord } from './came-record.js';
import { Candidates } from './candidates.js';
import { CanaryFindings, type CanaryKind, type CanarySnapshot, type FoundRecord } from './findings.js';
import type { RunMark } from './mark.js';
import { SentRecords, type KnownRecord } from './sent-records.js';

/** Options of the ledger. */
export interface LedgerOptions {
  readonly comparison: Comparison;
  /** Only records of this kind are compared; undefined for both. */
  readonly kind: LogRecord['kind'] | undefined;
  readonly isLossy: boolean;
  readonly allowed: ReadonlySet<CanaryKind>;
  /** Findings that are given in a minute at most; all are counted. */
  readonly max: number;
  readonly mark: RunMark;
  /** A record that has not come by then is missing. */
  readonly lateMs: number;
  /** The names in findings: of the log, and of the received inputs. */
  readonly logSource: string;
  readonly receivedSources: readonly string[];
  /** Unix time in milliseconds. */
  readonly wallNow: () => number;
  /** Called with the time that each record took, in milliseconds. */
  readonly onLatency?: ((ms: number) => void) | undefined;
}

/** The multiple of `--late` after which a record is forgotten: it is decided by the first, and remembered for ten more. */
const REMEMBERED = 11;

/** A received input. */
interface Received {
  readonly source: string;
  readonly reader: RecordReader;
  readonly side: Side;
  /** The records of this run in it so far. */
  records: number;
  /** Of the records that came in it, the one that was written last. */
  latest: number;
}

/**
 * Holds what was written against what comes, record by record, and decides by age. Both sides are read as `compare` reads them;
 * moments come in as data.
 *
 *     what is written ── Side ── SentRecords ──── due ─────→ missing, altered ──→ CanaryFindings
 *                                    ↑ come?                    ↑ explained by
 *     what comes ─────── Side ───────┴ of this run? ──→ Candidates ── due ──→ foreign
 */
export class Ledger {
  readonly findings: CanaryFindings;
  /** A record that has not come by then is missing, in milliseconds. */
  readonly lateMs: number;
  /** The moment at which a record of this run came last. */
  latestMs = -Infinity;
  readonly #options: LedgerOptions;
  readonly #form = new ReceivedForm();
  readonly #latencies = new Latencies();
  readonly #startSecond: number;
  readonly #sentReader: RecordReader;
  readonly #sentSide: Side;
  readonly #received: readonly Received[];
  readonly #sent: SentRecords;
  readonly #candidates: Candidates;
  #delivered = 0;
  #others = 0;
  #lossy = 0;
  /** The request that was written last. */
  #lastRequest = 0;

  constructor(options: LedgerOptions) {
    const { comparison, kind, isLossy, allowed, max, receivedSources, wallNow } = options;
    this.#options = options;
    this.lateMs = options.lateMs;
    this.#startSecond = Math.floor(wallNow() / 1000);
    const form = formOf({ comparison, kind, isLossy, isGrowing: true, observed: this.#form });
    const { digestRecord, isSame, findAlteration } = form;
    this.#sentReader = form.sentReader(false);
    this.#sentSide = new Side(digestRecord);
    this.#received = receivedSources.map((source, input) => {
      const reader = form.receivedReader(input, false);
      return { source, reader, side: new Side(digestRecord), records: 0, latest: -1 };
    });
    this.#sent = new SentRecords(isSame);
    this.#candidates = new Candidates(findAlteration, this.#sent);
    this.findings = new CanaryFindings(allowed, max, wallNow);
  }

  /** Notes groups that are about to be written. @param bytes whole records, each ended by an LF */
  send(bytes: Uint8Array, nowMs: number): void {
    const side = this.#sentSide;
    for (const sent of recordsOf(side, this.#sentReader.read(bytes))) {
      const { compared, text = compared, line } = sent;
      const request = this.#options.mark.numbersIn(text).at(-1);
      this.#sent.add({ record: side.record, line, text, compared, request, sentMs: nowMs }, sent);
      this.#lastRequest = request ?? this.#lastRequest;
    }
  }

  /** Takes bytes that came; undefined at the end of an input: what stands after its last LF is a record. */
  receive(input: number, bytes: Uint8Array | undefined, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    const { reader, side } = received;
    for (const record of recordsOf(side, reader.read(bytes))) this.#receive(received, record, nowMs);
  }

  /** True if a record is due: what is there must be read before that is decided. */
  isDue(nowMs: number): boolean {
    const { oldest } = this.#sent;
    return oldest !== undefined && oldest.sentMs <= nowMs - this.lateMs;
  }

  /** Decides what is due at a moment: everything that came before it must have been received. */
  decide(nowMs: number): void {
    this.#decide(nowMs - this.lateMs, nowMs);
    this.#sent.forget(nowMs - REMEMBERED * this.lateMs);
    this.findings.end(nowMs);
  }

  /** Decides everything at the end. */
  end(nowMs: number): void {
    for (const input of this.#received.keys()) this.receive(input, undefined, nowMs);
    this.#decide(Infinity, nowMs);
    this.findings.end(nowMs, true);
  }

  get outstanding(): number {
    return this.#sent.outstanding;
  }

  /** The likely reason that the received inputs could not be compared; undefined where there is none. */
  get mismatch(): FormMismatch | undefined {
    return this.#form.findMismatch(this.#options.comparison.as, this.#delivered > 0 || this.#sentSide.record === 0);
  }

  snapshot(nowMs: number): CanarySnapshot {
    const { counts } = this.findings;
    const { findings, shown } = counts;
    const { oldest, outstanding } = this.#sent;
    const passedOver = this.#received.reduce((sum, { reader }) => sum + reader.passedOver, 0);
    return {
      sent: this.#sentSide.record,
      delivered: this.#delivered,
      outstanding,
      oldestMs: oldest === undefined ? 0 : nowMs - oldest.sentMs,
      counts: {
        missing: counts.of('missing'),
        late: counts.of('late'),
        duplicated: counts.of('duplicated'),
        altered: counts.of('altered'),
        reordered: counts.of('reordered'),
        foreign: counts.of('foreign'),
      },
      others: this.#others + passedOver,
      lossy: this.#lossy,
      latency: this.#latencies.summary,
      findings,
      shown,
    };
  }

  #receive(received: Received, came: CameRecord, nowMs: number): void {
    const { compared, reason, line, text = compared } = came;
    const found = { source: received.source, record: received.records, line: line % INPUT_SPAN, text };
    const known = reason === undefined ? this.#sent.receive(came) : undefined;
    if (known !== undefined) this.#arrive(received, known, compared, found, nowMs);
    else if (!this.#suspect(received, came, found, nowMs)) {
      this.#others += 1;
      return;
    }
    received.records += 1;
    this.latestMs = nowMs;
  }

  /** Notes a record that was sent: it came for the first time, after it was missing, or again. */
  #arrive(received: Received, known: KnownRecord, compared: string, found: FoundRecord, nowMs: number): void {
    const { record, request, sentMs, was } = known;
    if (was === 'received') {
      this.findings.add('duplicated', found, nowMs);
    } else {
      const tookMs = Math.max(0, nowMs - sentMs);
      this.#delivered += 1;
      this.#latencies.add(tookMs);
      this.#options.onLatency?.(tookMs);
    }
    if (was === 'missing') {
      this.findings.counts.add('missing', -1);
      this.findings.add('late', found, nowMs);
    }
    if (this.#options.isLossy && known.compared !== undefined && known.compared !== compared) this.#lossy += 1;
    if (request === undefined) return;
    if (was === 'outstanding' && record < received.latest) this.findings.add('reordered', found, nowMs);
    received.latest = Math.max(received.latest, record);
  }

  /** Keeps a record that may be one that was written, altered; false if it is of another source. */
  #suspect({ latest }: Received, came: CameRecord, found: FoundRecord, nowMs: number): boolean {
    const { mark, kind, comparison } = this.#options;
    const { compared, reason } = came;
    const marks = kind === 'deprecation' ? [] : mark.numbersIn(reason === undefined ? compared : found.text);
    const requests = this.#isOld(came, marks) ? [] : marks;
    const isLine = reason === undefined && comparison.as !== 'fields';
    const begun = isLine ? this.#sent.findBegun(compared, latest) : undefined;
    if (requests.length === 0 && begun === undefined) return false;
    this.#candidates.add({ ...found, compared, requests, begun, reason, seenMs: nowMs });
    return true;
  }

  /** True for a record of an earlier run of the same name, which is stamped before this one began, and for one that is forgotten. */
  #isOld(came: CameRecord, requests: readonly number[]): boolean {
    const second = secondOf(came, this.#options.comparison);
    // Within the second of the start, the earlier run is told by what this one has not written yet.
    const isUnwritten = second === this.#startSecond && requests.every((request) => request > this.#lastRequest);
    return second < this.#startSecond || isUnwritten || requests.every((request) => request <= this.#sent.forgotten);
  }

  /** Decides the records that were sent, and those that came, at a moment or before. */
  #decide(dueMs: number, nowMs: number): void {
    const due = this.#sent.takeDue(dueMs);
    const altered = this.#candidates.explain(due);
    for (const sent of due) {
      const explained = altered.get(sent);
      if (explained !== undefined) {
        const { candidate, how } = explained;
        this.findings.add('altered', candidate, nowMs, { expectedLine: sent.line, expectedText: sent.text, how });
      } else {
        this.findings.add('missing', { source: this.#options.logSource, ...sent }, nowMs);
        this.#sent.miss(sent);
      }
    }
    for (const candidate of this.#candidates.takeDue(dueMs)) {
      const { requests, reason } = candidate;
      if (requests.length === 0) this.#others += 1;
      else this.findings.add('foreign', candidate, nowMs, reason === undefined ? {} : { how: reason });
    }
  }
}
