import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import type { FormMismatch } from '../compare/findings.js';
import { formOf } from '../compare/form.js';
import { ReceivedForm } from '../compare/mismatch.js';
import { comparisonOf, type Comparison, type ComparisonOptions } from '../compare/options.js';
import type { RecordReader } from '../compare/records.js';
import { RecordsAhead } from '../compare/records-ahead.js';
import { Latencies, RecentLatencies, type LatencySummary } from '../findings/latencies.js';
import type { Growth } from '../input/follower.js';
import { recordsOf, secondOf, type CameRecord } from './came-record.js';
import { Candidates, type Candidate } from './candidates.js';
import { CanaryFindings, type CanaryKind, type CanarySnapshot } from './findings.js';
import type { RunMark } from './mark.js';
import { SentRecords, type KnownRecord } from './sent-records.js';

export interface LedgerOptions extends ComparisonOptions {
  readonly allow?: Iterable<CanaryKind> | undefined;
  readonly max?: number | undefined;
  readonly mark: RunMark;
  /** The envelope that records are written in; undefined for none. */
  readonly envelope?: EnvelopeName | undefined;
  /** A record that has not come by then, in milliseconds, is missing. */
  readonly late: number;
  readonly receivedSources: readonly string[];
  readonly wallNow: () => number;
  readonly onLatency?: ((ms: number) => void) | undefined;
}

/** The multiple of `--late` after which a record is forgotten: it is decided by the first, and remembered for ten more. */
const REMEMBERED = 11;

const STRANGER = 'this run did not write it; another canary may use the same --run name';

interface Received {
  readonly source: string;
  readonly reader: RecordReader;
  readonly side: RecordsAhead;
  /** Of the records that came in each of its files, the one that was written last. */
  readonly latest: WeakMap<object, number>;
  /** The lines without LF that have been counted as records, by their files: they come again with their LF. */
  readonly counted: WeakMap<object, Buffer>;
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
  readonly comparison: Comparison;
  /** The moment at which a record of this run came last. */
  latestMs = -Infinity;
  /** True once a sound record carried the mark of this run that this run did not write. */
  hasStrangers = false;
  readonly #options: LedgerOptions;
  readonly #form = new ReceivedForm();
  readonly #latencies = new Latencies();
  readonly #recent = new RecentLatencies();
  /** The earliest second of what was written: the clock may be set back. */
  #startSecond: number;
  readonly #sentReader: RecordReader;
  readonly #sentSide: RecordsAhead;
  readonly #received: readonly Received[];
  readonly #sent: SentRecords;
  readonly #candidates: Candidates;
  #delivered = 0;
  #others = 0;
  #othersEqual = 0;
  #lossy = 0;
  #hasArrived = false;

  constructor(options: LedgerOptions) {
    const { allow, max, envelope, receivedSources, wallNow } = options;
    this.#options = options;
    this.comparison = comparisonOf(options);
    this.#startSecond = Math.floor(wallNow() / 1000);
    const form = formOf(options, true, this.#form);
    // Envelopes are opened before a comparison: a collector takes a record out of its envelope, or puts it into another one.
    const isFields = this.comparison.as === 'fields';
    const openerOf = (written?: EnvelopeName): EnvelopeOpener =>
      new EnvelopeOpener({ envelope: written, givesStamps: isFields, isGrowing: true });
    this.#sentReader = form.sentReader(false, envelope && openerOf(envelope));
    this.#sentSide = new RecordsAhead(form.digestRecord);
    this.#received = receivedSources.map((source, input) => {
      const reader = form.receivedReader(input, false, isFields ? undefined : openerOf());
      return { source, reader, side: new RecordsAhead(form.digestRecord), latest: new WeakMap(), counted: new WeakMap() };
    });
    this.#sent = new SentRecords(form.isSame);
    this.#candidates = new Candidates(form.findAlteration, this.#sent);
    this.findings = new CanaryFindings(allow, max, wallNow);
  }

  /** Notes the group of the request that was marked last, which is about to be written. @param bytes whole records, each ended by an LF */
  send(bytes: Uint8Array, nowMs: number): void {
    const { mark, wallNow } = this.#options;
    const writtenMs = wallNow();
    this.#startSecond = Math.min(this.#startSecond, Math.floor(writtenMs / 1000));
    const firstRecord = this.#sentSide.record;
    const records = Array.from(recordsOf(this.#sentSide, this.#sentReader.read(bytes)), (record) => ({
      ...record,
      isMarked: mark.numbersIn(record.text ?? record.compared).length > 0,
    }));
    this.#sent.add({ number: mark.latest, firstRecord, sentMs: nowMs, writtenMs }, records);
  }

  receive(input: number, { bytes, file }: Growth, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    const { reader, side, counted } = received;
    const half = counted.get(file);
    counted.delete(file);
    const from = half !== undefined && bytes.subarray(0, half.length).equals(half) ? half.length : 0;
    for (const record of recordsOf(side, reader.read(bytes.subarray(from)))) this.#receive(received, file, record, nowMs);
  }

  /** Takes a line whose LF has not come: if it is a whole record that was sent at a moment or before, it has come. */
  receiveHalf(input: number, { bytes, file }: Growth, sentMs: number, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined || received.counted.has(file)) return;
    const { reader, side, counted } = received;
    for (const record of recordsOf(side, reader.read(bytes))) {
      if (record.reason !== undefined || !this.#sent.isOutstanding(record, this.#markOf(record), sentMs)) continue;
      counted.set(file, bytes);
      this.#receive(received, file, record, nowMs);
    }
  }

  /** True if a record is due: what is there must be read before that is decided. */
  isDue(nowMs: number): boolean {
    const { oldestMs } = this.#sent;
    return oldestMs !== undefined && oldestMs <= nowMs - this.#options.late;
  }

  /** Decides what is due at a moment: everything that came before it must have been received. */
  decide(nowMs: number): void {
    const { late } = this.#options;
    this.#decide(nowMs - late, nowMs, false);
    this.#sent.forget(nowMs - REMEMBERED * late);
  }

  end(nowMs: number): void {
    this.#decide(Infinity, nowMs, true);
  }

  get outstanding(): number {
    return this.#sent.outstanding;
  }

  recentLatency(nowMs: number): LatencySummary | undefined {
    return this.#recent.summary(nowMs);
  }

  get mismatch(): FormMismatch | undefined {
    return this.#form.findMismatch(this.comparison.as, this.#delivered > 0 || this.#sentSide.record === 0);
  }

  snapshot(nowMs: number, outside = { truncations: 0, reconnects: 0 }): CanarySnapshot {
    const { counts } = this.findings;
    const { oldestMs, outstanding } = this.#sent;
    const passedOver = this.#received.reduce((sum, { reader }) => sum + reader.passedOver, 0);
    return {
      sent: this.#sentSide.record,
      delivered: this.#delivered,
      outstanding,
      oldestMs: oldestMs === undefined ? 0 : nowMs - oldestMs,
      counts: {
        missing: counts.of('missing'),
        late: counts.of('late'),
        duplicated: counts.of('duplicated'),
        altered: counts.of('altered'),
        reordered: counts.of('reordered'),
        foreign: counts.of('foreign'),
      },
      others: this.#others + passedOver,
      othersEqual: this.#othersEqual,
      lossy: this.#lossy,
      ...outside,
      latency: this.#latencies.summary,
      findings: counts.findings,
      shown: counts.shown,
    };
  }

  /** The request that a record is of; undefined where it carries no mark. Of several marks in a target the last one is its own. */
  #markOf({ compared }: CameRecord): number | undefined {
    return this.#options.mark.numbersIn(compared).at(-1);
  }

  #receive(received: Received, file: object, came: CameRecord, nowMs: number): void {
    const known = came.reason === undefined ? this.#sent.receive(came, this.#markOf(came)) : undefined;
    if (known !== undefined) {
      this.#arrive(received, file, known, came, nowMs);
      this.latestMs = nowMs;
      return;
    }
    const candidate = this.#suspect(received, file, came, nowMs);
    if (candidate === undefined) {
      this.#others += 1;
      if (this.#sent.equalsUnmarked(came)) this.#othersEqual += 1;
      return;
    }
    this.#candidates.add(candidate);
    if (!candidate.isEarlier) this.latestMs = nowMs;
  }

  /** Notes a record that was sent: it came for the first time, after it was missing, or again. */
  #arrive(received: Received, file: object, known: KnownRecord, came: CameRecord, nowMs: number): void {
    const { request, record, was } = known;
    const { compared, text = compared } = came;
    const found = { request: request.number, writtenMs: request.writtenMs, source: received.source, text };
    if (was === 'received') {
      this.findings.add('duplicated', found);
    } else {
      // A line without LF came earlier than it was counted.
      if (!received.counted.has(file)) this.#measure(Math.max(0, nowMs - request.sentMs), nowMs);
      this.#delivered += 1;
    }
    if (was === 'missing') {
      this.findings.counts.add('missing', -1);
      this.findings.add('late', found);
    }
    if (was === 'outstanding') this.#candidates.release(record);
    this.#hasArrived ||= was === 'outstanding';
    if (this.#options.lossy === true && known.compared !== undefined && known.compared !== compared) this.#lossy += 1;
    if (this.#markOf(came) === undefined) return;
    const latest = received.latest.get(file) ?? -1;
    if (was === 'outstanding' && record < latest) this.findings.add('reordered', found);
    received.latest.set(file, Math.max(latest, record));
  }

  #measure(tookMs: number, nowMs: number): void {
    this.#latencies.add(tookMs);
    this.#recent.add(tookMs, nowMs);
    this.#options.onLatency?.(tookMs);
  }

  /** Finds whether a record may be one that was written, altered; undefined if it is of another source. */
  #suspect({ source, latest }: Received, file: object, came: CameRecord, seenMs: number): Candidate | undefined {
    const { mark, kind } = this.#options;
    const { compared, reason, text = compared } = came;
    const marks = kind === 'deprecation' ? [] : mark.numbersIn(reason === undefined ? compared : text);
    const requests = marks.filter((request) => request > this.#sent.forgotten);
    const isLine = reason === undefined && this.comparison.as !== 'fields';
    const begun = isLine ? this.#sent.takeBegun(compared, latest.get(file) ?? -1) : undefined;
    if (requests.length === 0 && begun === undefined) return undefined;
    const isEarlier = begun === undefined && this.#isEarlier(came, requests);
    return { source, text, compared, requests, isEarlier, begun, reason, seenMs };
  }

  /** True for a record that an earlier run of the same name may have written: it is stamped before this run began. */
  #isEarlier(came: CameRecord, requests: readonly number[]): boolean {
    const second = secondOf(came, this.comparison);
    // Within the second of the start, the earlier run is told by what this one has not written yet.
    const isUnwritten = requests.every((request) => request > this.#options.mark.latest);
    return second < this.#startSecond || (second === this.#startSecond && isUnwritten);
  }

  #decide(dueMs: number, nowMs: number, isEnd: boolean): void {
    const { due, ...passed } = this.#sent.takeDue(dueMs);
    const altered = this.#candidates.explain(due);
    for (const sent of due) {
      const found = { request: sent.request.number, writtenMs: sent.request.writtenMs };
      const { candidate, how } = altered.get(sent) ?? {};
      if (candidate === undefined) {
        this.findings.add('missing', { ...found, source: undefined, text: sent.text });
      } else {
        this.findings.add('altered', { ...found, source: candidate.source, text: candidate.text, how });
        this.#sent.explain(sent);
      }
    }
    for (const candidate of this.#candidates.takeDue(dueMs)) this.#giveUp(candidate);
    this.findings.endLook(nowMs, { ...passed, hasArrived: this.#hasArrived, isEnd });
    this.#hasArrived = false;
  }

  #giveUp({ requests, isEarlier, reason, source, text }: Candidate): void {
    if (requests.length === 0 || isEarlier) {
      this.#others += 1;
      return;
    }
    this.hasStrangers ||= reason === undefined;
    this.findings.add('foreign', { request: requests.at(-1), writtenMs: undefined, source, text, how: reason ?? STRANGER });
  }
}
