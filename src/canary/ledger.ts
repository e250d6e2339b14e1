import { matchingOf, receivedReader, sentReader, type Matching } from '../compare/comparer.js';
import { Latencies } from '../compare/findings.js';
import type { Comparison } from '../compare/options.js';
import { ReceivedForm, type FormMismatch } from '../compare/received-form.js';
import { INPUT_SPAN, type RecordReader } from '../compare/records.js';
import { Side } from '../compare/side.js';
import type { LogRecord } from '../log/line.js';
import { recordsOf, secondOf, type CameRecord } from './came-record.js';
import { Candidates } from './candidates.js';
import { CanaryFindings, type CanaryKind, type CanarySnapshot, type FoundRecord } from './findings.js';
import type { RunMark } from './mark.js';
import { Outstanding } from './outstanding.js';
import { Remembered } from './remembered.js';

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

/** The multiple of `--late` for which what is decided is remembered. */
const REMEMBERED = 10;

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
 * Holds what was written against what comes, record by record, and decides by age. Both sides are read as `compare` reads them, and
 * wait in its rings; moments come in as data.
 *
 *     what is written ── Side ── Outstanding ──── due ─────→ missing, altered ──→ CanaryFindings
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
  readonly #matching: Matching;
  readonly #form = new ReceivedForm();
  readonly #latencies = new Latencies();
  readonly #startSecond: number;
  readonly #sentReader: RecordReader;
  readonly #sentSide: Side;
  readonly #received: readonly Received[];
  readonly #outstanding = new Outstanding();
  readonly #candidates: Candidates;
  /** Records that were decided: those that are missing, since they were sent, and those that came and carry a mark, since then. */
  readonly #missing = new Remembered();
  readonly #came = new Remembered();
  #delivered = 0;
  #others = 0;
  #lossy = 0;
  /** The request that was written last. */
  #lastRequest = 0;

  constructor(options: LedgerOptions) {
    const { comparison, kind, isLossy, allowed, max, mark, receivedSources, wallNow } = options;
    this.#options = options;
    this.lateMs = options.lateMs;
    this.#matching = matchingOf(comparison, isLossy, true);
    this.#startSecond = Math.floor(wallNow() / 1000);
    const { digestRecord, findAlteration } = this.#matching;
    this.#sentReader = sentReader(comparison, kind, false, true);
    this.#sentSide = new Side(digestRecord);
    this.#received = receivedSources.map((source, input) => {
      const reader = receivedReader({ comparison, input, isRereadable: false, isGrowing: true, form: this.#form });
      return { source, reader, side: new Side(digestRecord), records: 0, latest: -1 };
    });
    this.#candidates = new Candidates(findAlteration, mark, this.#outstanding);
    this.findings = new CanaryFindings(allowed, max, wallNow);
  }

  /** Takes note of groups that are about to be written. @param bytes whole records, each ended by an LF */
  send(bytes: Uint8Array, nowMs: number): void {
    const side = this.#sentSide;
    for (const sent of recordsOf(side, this.#sentReader.read(bytes, nowMs))) {
      const { compared, text = compared, line } = sent;
      const [request] = this.#options.mark.numbersIn(text);
      this.#outstanding.add({ record: side.record, line, text, compared, request, sentMs: nowMs }, sent);
      this.#lastRequest = request ?? this.#lastRequest;
    }
  }

  /** Takes bytes that came. */
  receive(input: number, bytes: Uint8Array, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    for (const record of recordsOf(received.side, received.reader.read(bytes, nowMs))) this.#receive(received, record, nowMs);
  }

  /** An input has ended: what stands after its last LF is a record. */
  endInput(input: number, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    for (const record of recordsOf(received.side, received.reader.end(nowMs))) this.#receive(received, record, nowMs);
  }

  /** True if a record is due: what is there must be read before that is decided. */
  isDue(nowMs: number): boolean {
    const { oldest } = this.#outstanding;
    return oldest !== undefined && oldest.sentMs <= nowMs - this.lateMs;
  }

  /** Decides what is due at a moment: everything that came before it must have been received. */
  decide(nowMs: number): void {
    const { lateMs } = this;
    this.#decide(nowMs - lateMs, nowMs);
    this.#missing.forget(nowMs - (REMEMBERED + 1) * lateMs);
    this.#came.forget(nowMs - REMEMBERED * lateMs);
    this.findings.end(nowMs);
  }

  /** Decides everything at the end. */
  end(nowMs: number): void {
    for (const input of this.#received.keys()) this.endInput(input, nowMs);
    this.#decide(Infinity, nowMs);
    this.findings.end(nowMs, true);
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** The likely reason that the received inputs could not be compared; undefined where there is none. */
  get mismatch(): FormMismatch | undefined {
    return this.#form.findMismatch(this.#options.comparison.as, this.#delivered > 0 || this.#sentSide.record === 0);
  }

  snapshot(nowMs: number): CanarySnapshot {
    const { counts, total: findings, shown } = this.findings;
    const { oldest, size: outstanding } = this.#outstanding;
    const passedOver = this.#received.reduce((sum, { reader }) => sum + reader.passedOver, 0);
    return {
      sent: this.#sentSide.record,
      delivered: this.#delivered,
      outstanding,
      oldestMs: oldest === undefined ? 0 : nowMs - oldest.sentMs,
      counts: { ...counts },
      others: this.#others + passedOver,
      lossy: this.#lossy,
      latency: this.#latencies.summary,
      findings,
      shown,
    };
  }

  #receive(received: Received, came: CameRecord, nowMs: number): void {
    const { mark, kind } = this.#options;
    const { compared, fault, line } = came;
    const text = came.text ?? compared;
    const requests = kind === 'deprecation' ? [] : mark.numbersIn(fault === undefined ? compared : text);
    const found = { source: received.source, record: received.records, line: line % INPUT_SPAN, text };
    const isMarked = requests.length > 0;
    const isOwn =
      (fault === undefined &&
        (this.#deliver(received, came, found, nowMs) || this.#repeat(received, came, found, isMarked, nowMs))) ||
      this.#suspect(received, came, found, isMarked && !this.#isOld(came, requests) ? requests : [], nowMs);
    if (isOwn) {
      received.records += 1;
      this.latestMs = nowMs;
    } else {
      this.#others += 1;
    }
  }

  /** Delivers a record that is outstanding; false if it is not. */
  #deliver(received: Received, came: CameRecord, found: FoundRecord, nowMs: number): boolean {
    const { isSame } = this.#matching;
    const bytes = isSame && Buffer.from(came.compared, 'latin1');
    const sent = this.#outstanding.take(came, bytes && ((other) => isSame(Buffer.from(other.compared, 'latin1'), bytes)));
    if (sent === undefined) return false;
    this.#noteCame(sent.sentMs, nowMs);
    if (this.#options.isLossy && sent.compared !== came.compared) this.#lossy += 1;
    if (sent.request !== undefined) {
      if (sent.record < received.latest) this.findings.add('reordered', found, nowMs);
      received.latest = Math.max(received.latest, sent.record);
      this.#came.add(sent, came, nowMs);
    }
    return true;
  }

  /** Tells a record that was decided before: it came late, or again. False if it was not, or carries no mark and came more than it was sent. */
  #repeat(received: Received, came: CameRecord, found: FoundRecord, isMarked: boolean, nowMs: number): boolean {
    const missing = this.#missing.take(came);
    const before = missing ?? (isMarked ? this.#came.find(came) : undefined);
    if (before === undefined) return false;
    if (missing !== undefined) {
      this.findings.takeBackMissing();
      this.#noteCame(missing.sinceMs, nowMs);
      if (isMarked) this.#came.add(missing, came, nowMs);
    }
    this.findings.add(missing === undefined ? 'duplicated' : 'late', found, nowMs);
    if (isMarked) received.latest = Math.max(received.latest, before.record);
    return true;
  }

  /** Keeps a record that may be one that was written, altered; false if it is of another source. */
  #suspect(
    { latest }: Received,
    { compared, fault }: CameRecord,
    found: FoundRecord,
    requests: readonly number[],
    nowMs: number,
  ): boolean {
    const isLine = fault === undefined && this.#options.comparison.as !== 'fields';
    const begun = isLine ? this.#outstanding.findBegun(compared, latest) : undefined;
    if (requests.length === 0 && begun === undefined) return false;
    this.#candidates.add({ ...found, compared, requests, begun, fault, seenMs: nowMs });
    return true;
  }

  /** True for a record of an earlier run of the same name, which is stamped before this one began, and for one that is forgotten. */
  #isOld(came: CameRecord, requests: readonly number[]): boolean {
    const second = secondOf(came, this.#options.comparison);
    // Within the second of the start, the earlier run is told by what this one has not written yet.
    const isUnwritten = second === this.#startSecond && requests.every((request) => request > this.#lastRequest);
    const forgotten = Math.max(this.#came.forgotten, this.#missing.forgotten);
    return second < this.#startSecond || isUnwritten || requests.every((request) => request <= forgotten);
  }

  #noteCame(sentMs: number, nowMs: number): void {
    const tookMs = Math.max(0, nowMs - sentMs);
    this.#delivered += 1;
    this.#latencies.add(tookMs);
    this.#options.onLatency?.(tookMs);
  }

  /** Decides the records that were sent, and those that came, at a moment or before. */
  #decide(dueMs: number, nowMs: number): void {
    const due = Array.from(this.#outstanding.takeDue(dueMs));
    const altered = this.#candidates.explain(due);
    for (const sent of due) {
      const explained = altered.get(sent);
      if (explained !== undefined) {
        const { candidate, how } = explained;
        this.findings.addAltered(candidate, { expectedLine: sent.line, expectedText: sent.text, how }, nowMs);
      } else {
        this.findings.add('missing', { source: this.#options.logSource, ...sent }, nowMs);
        this.#missing.add(sent, sent, sent.sentMs);
      }
    }
    for (const candidate of this.#candidates.takeDue(dueMs)) {
      if (candidate.requests.length > 0) this.findings.add('foreign', candidate, nowMs, candidate.fault);
      else this.#others += 1;
    }
  }
}
