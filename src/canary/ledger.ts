import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import { formOf } from '../compare/form.js';
import type { FormMismatch } from '../compare/findings.js';
import type { Comparison } from '../compare/options.js';
import { ReceivedForm } from '../compare/mismatch.js';
import type { RecordReader } from '../compare/records.js';
import { RecordsAhead } from '../compare/records-ahead.js';
import { Latencies, type LatencySummary } from '../findings/latencies.js';
import type { Growth } from '../input/follower.js';
import type { LogRecord } from '../log/line.js';
import { recordsOf, secondOf, type CameRecord } from './came-record.js';
import { Candidates, type Candidate } from './candidates.js';
import { CanaryFindings, type CanaryKind, type CanarySnapshot } from './findings.js';
import type { RunMark } from './mark.js';
import { RecentLatencies } from './recent-latencies.js';
import { SentRecords, type KnownRecord } from './sent-records.js';

/** Options of the ledger. */
export interface LedgerOptions {
  readonly comparison: Comparison;
  /** Only records of this kind are compared; undefined for both. */
  readonly kind: LogRecord['kind'] | undefined;
  readonly isLossy: boolean;
  readonly allowed: Iterable<CanaryKind> | undefined;
  /** Findings that are given in a minute at most; all are counted. */
  readonly max: number | undefined;
  readonly mark: RunMark;
  /** The envelope that records are written in; undefined for none. */
  readonly envelope: EnvelopeName | undefined;
  /** A record that has not come by then is missing. */
  readonly lateMs: number;
  /** The names of the received inputs in findings. */
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
  readonly side: RecordsAhead;
  /** Of the records that came in each of its files, the one that was written last. */
  readonly latest: WeakMap<object, number>;
  /** The lines without LF that have been counted as records, by their files: they come again with their LF. */
  readonly counted: WeakMap<object, Buffer>;
}

/** The place of a record that comes: its input, and its file there. */
interface Place {
  readonly received: Received;
  readonly file: object;
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
    const { comparison, kind, isLossy, allowed, max, envelope, receivedSources, wallNow } = options;
    this.#options = options;
    this.lateMs = options.lateMs;
    this.#startSecond = Math.floor(wallNow() / 1000);
    const form = formOf({ comparison, kind, isLossy, isGrowing: true, observed: this.#form });
    const { digestRecord, isSame, findAlteration } = form;
    // What is inside is compared: a collector takes a record out of its envelope, or puts it into another one.
    const openerOf = (form?: EnvelopeName, givesStamps = false): EnvelopeOpener =>
      new EnvelopeOpener({ envelope: form, givesStamps, isGrowing: true });
    const isFields = comparison.as === 'fields';
    this.#sentReader = form.sentReader(false, envelope && openerOf(envelope, isFields));
    this.#sentSide = new RecordsAhead(digestRecord);
    this.#received = receivedSources.map((source, input) => {
      const reader = form.receivedReader(input, false, isFields ? undefined : openerOf());
      return { source, reader, side: new RecordsAhead(digestRecord), latest: new WeakMap(), counted: new WeakMap() };
    });
    this.#sent = new SentRecords(isSame);
    this.#candidates = new Candidates(findAlteration, this.#sent);
    this.findings = new CanaryFindings(allowed, max, wallNow);
  }

  /** Notes the group of the request that was marked last, which is about to be written. @param bytes whole records, each ended by an LF */
  send(bytes: Uint8Array, nowMs: number): void {
    const { mark, wallNow } = this.#options;
    const request = mark.latest;
    const writtenMs = wallNow();
    const side = this.#sentSide;
    this.#startSecond = Math.min(this.#startSecond, Math.floor(writtenMs / 1000));
    for (const sent of recordsOf(side, this.#sentReader.read(bytes))) {
      const { compared, text = compared } = sent;
      const isMarked = mark.numbersIn(text).length > 0;
      this.#sent.add({ record: side.record, text, compared, request, isMarked, sentMs: nowMs, writtenMs }, sent);
    }
  }

  /** Takes lines that came. */
  receive(input: number, { bytes, file }: Growth, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    const { reader, side, counted } = received;
    const half = counted.get(file);
    counted.delete(file);
    const from = half !== undefined && bytes.subarray(0, half.length).equals(half) ? half.length : 0;
    for (const record of recordsOf(side, reader.read(bytes.subarray(from)))) this.#receive({ received, file }, record, nowMs);
  }

  /** Takes a line whose LF has not come: if it is a whole record that was sent at a moment or before, it has come. */
  receiveHalf(input: number, growth: Growth, sentMs: number, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined || received.counted.has(growth.file)) return;
    const { reader, side, counted } = received;
    for (const record of recordsOf(side, reader.read(growth.bytes))) {
      if (record.reason !== undefined || !this.#sent.isOutstanding(record, sentMs)) continue;
      counted.set(growth.file, growth.bytes);
      this.#receive({ received, file: growth.file }, record, nowMs);
    }
  }

  /** True if a record is due: what is there must be read before that is decided. */
  isDue(nowMs: number): boolean {
    const { oldest } = this.#sent;
    return oldest !== undefined && oldest.sentMs <= nowMs - this.lateMs;
  }

  /** Decides what is due at a moment: everything that came before it must have been received. */
  decide(nowMs: number): void {
    this.#decide(nowMs - this.lateMs, nowMs, false);
    this.#sent.forget(nowMs - REMEMBERED * this.lateMs);
  }

  /** Decides everything at the end. */
  end(nowMs: number): void {
    this.#decide(Infinity, nowMs, true);
  }

  get outstanding(): number {
    return this.#sent.outstanding;
  }

  /** The times of the records that came within the last minute. */
  recentLatency(nowMs: number): LatencySummary | undefined {
    return this.#recent.summary(nowMs);
  }

  /** The likely reason that the received inputs could not be compared; undefined where there is none. */
  get mismatch(): FormMismatch | undefined {
    return this.#form.findMismatch(this.#options.comparison.as, this.#delivered > 0 || this.#sentSide.record === 0);
  }

  /** @param outside what the ends of the pipeline know */
  snapshot(nowMs: number, outside = { truncations: 0, reconnects: 0 }): CanarySnapshot {
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
      othersEqual: this.#othersEqual,
      lossy: this.#lossy,
      ...outside,
      latency: this.#latencies.summary,
      findings,
      shown,
    };
  }

  #receive(place: Place, came: CameRecord, nowMs: number): void {
    const known = came.reason === undefined ? this.#sent.receive(came) : undefined;
    if (known !== undefined) {
      this.#arrive(place, known, came, nowMs);
      this.latestMs = nowMs;
      return;
    }
    const candidate = this.#suspect(place, came, nowMs);
    if (candidate === undefined) {
      this.#others += 1;
      if (this.#sent.equalsUnmarked(came)) this.#othersEqual += 1;
      return;
    }
    this.#candidates.add(candidate);
    if (!candidate.isEarlier) this.latestMs = nowMs;
  }

  /** Notes a record that was sent: it came for the first time, after it was missing, or again. */
  #arrive({ received, file }: Place, known: KnownRecord, { compared, text = compared }: CameRecord, nowMs: number): void {
    const { record, isMarked, sentMs, was } = known;
    const found = { ...known, source: received.source, text };
    if (was === 'received') {
      this.findings.add('duplicated', found);
    } else {
      // A line without LF came earlier than it was counted.
      if (!received.counted.has(file)) this.#measure(Math.max(0, nowMs - sentMs), nowMs);
      this.#delivered += 1;
    }
    if (was === 'missing') {
      this.findings.counts.add('missing', -1);
      this.findings.add('late', found);
    }
    this.#hasArrived ||= was === 'outstanding';
    if (this.#options.isLossy && known.compared !== undefined && known.compared !== compared) this.#lossy += 1;
    if (!isMarked) return;
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
  #suspect({ received, file }: Place, came: CameRecord, nowMs: number): Candidate | undefined {
    const { mark, kind, comparison } = this.#options;
    const { compared, reason, text = compared } = came;
    const marks = kind === 'deprecation' ? [] : mark.numbersIn(reason === undefined ? compared : text);
    const requests = marks.filter((request) => request > this.#sent.forgotten);
    const isLine = reason === undefined && comparison.as !== 'fields';
    const begun = isLine ? this.#sent.findBegun(compared, received.latest.get(file) ?? -1) : undefined;
    if (requests.length === 0 && begun === undefined) return undefined;
    const isEarlier = begun === undefined && this.#isEarlier(came, requests);
    return { source: received.source, text, compared, requests, isEarlier, begun, reason, seenMs: nowMs };
  }

  /** True for a record that an earlier run of the same name may have written: it is stamped before this run began. */
  #isEarlier(came: CameRecord, requests: readonly number[]): boolean {
    const second = secondOf(came, this.#options.comparison);
    // Within the second of the start, the earlier run is told by what this one has not written yet.
    const isUnwritten = requests.every((request) => request > this.#options.mark.latest);
    return second < this.#startSecond || (second === this.#startSecond && isUnwritten);
  }

  /** Decides the records that were sent, and those that came, at a moment or before. */
  #decide(dueMs: number, nowMs: number, isEnd: boolean): void {
    const { due, ...passed } = this.#sent.takeDue(dueMs);
    const altered = this.#candidates.explain(due);
    for (const sent of due) {
      const { request, writtenMs, text } = sent;
      const { candidate, how } = altered.get(sent) ?? {};
      if (candidate === undefined) {
        this.findings.add('missing', { request, writtenMs, source: undefined, text });
        this.#sent.miss(sent);
      } else {
        this.findings.add('altered', { request, writtenMs, source: candidate.source, text: candidate.text, how });
      }
    }
    for (const candidate of this.#candidates.takeDue(dueMs)) this.#giveUp(candidate);
    this.findings.endLook(nowMs, { ...passed, hasArrived: this.#hasArrived, isEnd });
    this.#hasArrived = false;
  }

  /** Judges a record that explains none that was written. */
  #giveUp({ requests, isEarlier, reason, source, text }: Candidate): void {
    if (requests.length === 0 || isEarlier) {
      this.#others += 1;
      return;
    }
    this.hasStrangers ||= reason === undefined;
    this.findings.add('foreign', { request: requests.at(-1), writtenMs: undefined, source, text, how: reason ?? STRANGER });
  }
}

const STRANGER = 'this run did not write it; another canary may use the same --run name';
