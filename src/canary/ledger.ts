import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import { BETWEEN_VALUES } from '../compare/fields.js';
import type { FormMismatch } from '../compare/findings.js';
import { formOf, type RecordForm } from '../compare/form.js';
import { ReceivedForm } from '../compare/mismatch.js';
import { comparisonOf, type Comparison, type ComparisonOptions } from '../compare/options.js';
import type { RecordReader } from '../compare/records.js';
import { Latencies, RecentLatencies, type LatencySummary } from '../findings/latencies.js';
import type { Growth } from '../input/follower.js';
import { TIMESTAMP_AT, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset } from '../log/timestamp.js';
import { Candidates } from './candidates.js';
import { CanaryFindings, type CanaryKind, type CanarySnapshot } from './findings.js';
import type { RunMark } from './mark.js';
import { readRecords, type ReadRecord } from './read-record.js';
import { SentRecords, type Arrival } from './sent-records.js';

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
  readonly files: WeakMap<object, ReceivedFile>;
}

interface ReceivedFile {
  /** Of the marked records that came in it, the number of the one that was written last. */
  latest: number;
  /** The lines without LF that have been counted as records: they come again with their LF. */
  counted: Buffer | undefined;
}

/**
 * Holds what was written against what comes, record by record, and decides by age. Both sides are read as `compare` reads them;
 * moments come in as data.
 *
 *     what is written ── SentRecords ──── due ─────→ missing, altered ──→ CanaryFindings
 *                            ↑ come?                    ↑ explained by
 *     what comes ────────────┴ of this run? ──→ Candidates ── due ──→ foreign
 */
export class Ledger {
  readonly findings: CanaryFindings;
  readonly comparison: Comparison;
  /** The moment at which a record of this run came last. */
  latestMs = -Infinity;
  /** True once a sound record carried the mark of this run that this run did not write. */
  hasStrangers = false;
  readonly #options: LedgerOptions;
  readonly #observed = new ReceivedForm();
  readonly #form: RecordForm;
  readonly #latencies = new Latencies();
  readonly #recent = new RecentLatencies();
  /** The earliest second of what was written: the clock may be set back. */
  #startSecond: number;
  readonly #sentReader: RecordReader;
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
    const form = (this.#form = formOf(options, true, this.#observed));
    // Envelopes are opened before a comparison: a collector takes a record out of its envelope, or puts it into another one.
    const isFields = this.comparison.as === 'fields';
    const openerOf = (written?: EnvelopeName): EnvelopeOpener =>
      new EnvelopeOpener({ envelope: written, givesStamps: isFields, isGrowing: true });
    this.#sentReader = form.sentReader(false, envelope && openerOf(envelope));
    this.#received = receivedSources.map((source, input) => {
      const reader = form.receivedReader(input, false, isFields ? undefined : openerOf());
      return { source, reader, files: new WeakMap() };
    });
    this.#sent = new SentRecords(form.isSame);
    this.#candidates = new Candidates(form.findAlteration);
    this.findings = new CanaryFindings(allow, max, wallNow);
  }

  /** Notes the group of the request that was marked last, which is about to be written. @param bytes whole records, each ended by an LF */
  send(bytes: Uint8Array, nowMs: number): void {
    const { mark, wallNow } = this.#options;
    const writtenMs = wallNow();
    this.#startSecond = Math.min(this.#startSecond, Math.floor(writtenMs / 1000));
    const records = Array.from(this.#read(this.#sentReader, bytes), (record) => ({
      ...record,
      isMarked: mark.numbersIn(record.text).length > 0,
    }));
    this.#sent.add({ number: mark.latest, sentMs: nowMs, writtenMs }, records);
  }

  receive(input: number, { bytes, file: identity }: Growth, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    const file = fileOf(received, identity);
    const { counted } = file;
    file.counted = undefined;
    const from = counted !== undefined && bytes.subarray(0, counted.length).equals(counted) ? counted.length : 0;
    for (const record of this.#read(received.reader, bytes.subarray(from))) this.#receive(received.source, file, record, nowMs);
  }

  /** Takes a line whose LF has not come: if it is a whole record that was sent at a moment or before, it has come. */
  receiveHalf(input: number, { bytes, file: identity }: Growth, sentMs: number, nowMs: number): void {
    const received = this.#received[input];
    if (received === undefined) return;
    const file = fileOf(received, identity);
    if (file.counted !== undefined) return;
    for (const record of this.#read(received.reader, bytes)) {
      if (record.reason !== undefined || !this.#sent.isOutstanding(record, this.#marksOf(record).at(-1), sentMs)) continue;
      file.counted = bytes;
      this.#receive(received.source, file, record, nowMs);
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
    return this.#observed.findMismatch(this.comparison.as, this.#delivered > 0 || this.#sent.count === 0);
  }

  snapshot(nowMs: number, outside = { truncations: 0, reconnects: 0 }): CanarySnapshot {
    const { counts } = this.findings;
    const { count, oldestMs = nowMs, outstanding } = this.#sent;
    return {
      sent: count,
      delivered: this.#delivered,
      outstanding,
      oldestMs: nowMs - oldestMs,
      counts: {
        missing: counts.of('missing'),
        late: counts.of('late'),
        duplicated: counts.of('duplicated'),
        altered: counts.of('altered'),
        reordered: counts.of('reordered'),
        foreign: counts.of('foreign'),
      },
      others: this.#received.reduce((sum, { reader }) => sum + reader.passedOver, this.#others),
      othersEqual: this.#othersEqual,
      lossy: this.#lossy,
      ...outside,
      latency: this.#latencies.summary,
      findings: counts.findings,
      shown: counts.shown,
    };
  }

  #read(reader: RecordReader, lines: Uint8Array): Iterable<ReadRecord> {
    return readRecords(reader, lines, this.#form.digestRecord);
  }

  /** The requests of the marks that a record carries. Of several marks in a target the last one is its own. */
  #marksOf({ text, compared, reason }: ReadRecord): readonly number[] {
    const { mark, kind } = this.#options;
    return kind === 'deprecation' ? [] : mark.numbersIn(reason === undefined ? compared : text);
  }

  #receive(source: string, file: ReceivedFile, came: ReadRecord, nowMs: number): void {
    const marks = this.#marksOf(came);
    const arrival = came.reason === undefined ? this.#sent.receive(came, marks.at(-1)) : undefined;
    if (arrival !== undefined) {
      this.#arrive(arrival, source, file, came.text, nowMs);
      this.latestMs = nowMs;
      return;
    }
    const requests = marks.filter((request) => request > this.#sent.forgotten);
    const isFragment = came.reason === undefined && this.comparison.as !== 'fields' && this.#sent.isBeginning(came);
    if (requests.length === 0 && !isFragment) {
      this.#others += 1;
      if (this.#sent.equalsUnmarked(came)) this.#othersEqual += 1;
      return;
    }
    const isEarlier = !isFragment && this.#isEarlier(came, requests);
    const seen = { seenMs: nowMs, after: file.latest };
    this.#candidates.add({ ...came, source, requests, isFragment, isEarlier, ...seen, explained: undefined });
    if (!isEarlier) this.latestMs = nowMs;
  }

  /** Notes a record that was sent: it came for the first time, after it was missing, or again. */
  #arrive({ sent, was, isReplaced }: Arrival, source: string, file: ReceivedFile, text: string, nowMs: number): void {
    const { request, number, isMarked } = sent;
    const found = { request, source, text };
    if (was === 'received') {
      this.findings.add('duplicated', found);
    } else {
      this.#delivered += 1;
      // A line without LF came earlier than it was counted.
      if (file.counted === undefined) this.#measure(Math.max(0, nowMs - request.sentMs), nowMs);
    }
    if (was === 'missing') {
      this.findings.counts.add('missing', -1);
      this.findings.add('late', found);
    }
    this.#hasArrived ||= was === 'outstanding';
    if (this.#options.lossy === true && isReplaced) this.#lossy += 1;
    if (!isMarked) return;
    if (was === 'outstanding' && number < file.latest) this.findings.add('reordered', found);
    file.latest = Math.max(file.latest, number);
  }

  #measure(tookMs: number, nowMs: number): void {
    this.#latencies.add(tookMs);
    this.#recent.add(tookMs, nowMs);
    this.#options.onLatency?.(tookMs);
  }

  /** True for a record that an earlier run of the same name may have written: it is stamped before this run began. */
  #isEarlier(came: ReadRecord, requests: readonly number[]): boolean {
    const second = secondOf(came, this.comparison);
    // Within the second of the start, the earlier run is told by what this one has not written yet.
    const isUnwritten = requests.every((request) => request > this.#options.mark.latest);
    return second < this.#startSecond || (second === this.#startSecond && isUnwritten);
  }

  #decide(dueMs: number, nowMs: number, isEnd: boolean): void {
    const due = this.#sent.takeDue(dueMs);
    const lost = due.filter(({ state }) => state === 'outstanding');
    const altered = this.#candidates.explain(lost);
    for (const sent of lost) {
      const { request, text } = sent;
      const { candidate, how } = altered.get(sent) ?? {};
      if (candidate === undefined) this.findings.add('missing', { request, text });
      else this.findings.add('altered', { request, source: candidate.source, text: candidate.text, how });
      this.#sent.settle(sent, candidate === undefined ? 'missing' : 'received');
    }
    for (const { requests, isEarlier, reason, source, text } of this.#candidates.takeDue(dueMs)) {
      const number = isEarlier ? undefined : requests.at(-1);
      if (number === undefined) {
        this.#others += 1;
        continue;
      }
      this.hasStrangers ||= reason === undefined;
      this.findings.add('foreign', { request: { number }, source, text, how: reason ?? STRANGER });
    }
    const passed = { hasPassed: due.length > lost.length, endsInLoss: due.at(-1) === lost.at(-1) };
    this.findings.endLook(nowMs, { ...passed, hasArrived: this.#hasArrived, isEnd });
    this.#hasArrived = false;
  }
}

function fileOf({ files }: Received, identity: object): ReceivedFile {
  const file = files.get(identity) ?? { latest: -1, counted: undefined };
  files.set(identity, file);
  return file;
}

/** The Unix second of a load failure; NaN if it cannot be told. */
function secondOf({ text, compared }: ReadRecord, comparison: Comparison): number {
  if (comparison.as !== 'fields') return parseTimestamp(text, TIMESTAMP_AT) - parseUtcOffset(text, ZONE_AT);
  const at = Array.from(comparison.fields.keys()).indexOf('instant');
  return Math.floor(Date.parse(compared.split(BETWEEN_VALUES)[at] ?? '') / 1000);
}
