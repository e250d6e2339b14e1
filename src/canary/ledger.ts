import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import { BETWEEN_VALUES } from '../compare/fields.js';
import type { FormMismatch } from '../compare/findings.js';
import { formOf, type RecordForm } from '../compare/form.js';
import { ReceivedForm } from '../compare/mismatch.js';
import { comparisonOf, type Comparison, type ComparisonOptions } from '../compare/options.js';
import type { RecordReader } from '../compare/records.js';
import { Latencies, RecentLatencies } from '../findings/latencies.js';
import type { Follower, Growth } from '../input/follower.js';
import { LF } from '../log/byte-string.js';
import { TIMESTAMP_AT, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset } from '../log/timestamp.js';
import { Candidates } from './candidates.js';
import { CanaryFindings, type CanarySnapshot } from './findings.js';
import type { RunMark } from './mark.js';
import type { CanarySettings } from './options.js';
import { SentRecords, type ReadRecord, type SentRecord } from './sent-records.js';

export type LedgerOptions = Pick<CanarySettings, keyof ComparisonOptions | 'allow' | 'max' | 'envelope' | 'late' | 'onLatency'>;

/** The multiple of `--late` after which a record is forgotten: it is decided by the first, and remembered for ten more. */
const REMEMBERED = 11;

const STRANGER = 'this run did not write it; another canary may use the same --run name';

type Input = Pick<Follower, 'source'>;

interface ReceivedFile {
  /** The number of the marked record that was written last of those that came in it. */
  latest: number;
  /** The lines without LF that have been counted as records: they come again with their LF. */
  counted?: Buffer | undefined;
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
  /** The moment at which a record of this run came last. */
  latestMs = -Infinity;
  readonly recent = new RecentLatencies();
  /** True once a sound record carried the mark of this run that this run did not write. */
  hasStrangers = false;
  readonly #comparison: Comparison;
  readonly #observed = new ReceivedForm();
  readonly #form: RecordForm;
  readonly #latencies = new Latencies();
  /** The earliest second of what was written: the clock may be set back. */
  #startSecond: number;
  readonly #sentReader: RecordReader;
  readonly #readers = new Map<Input, RecordReader>();
  readonly #files = new WeakMap<object, ReceivedFile>();
  readonly #sent: SentRecords;
  readonly #candidates: Candidates;
  #delivered = 0;
  #others = 0;
  #othersEqual = 0;
  #lossy = 0;

  constructor(
    private readonly options: LedgerOptions,
    private readonly mark: RunMark,
    private readonly wallNow: () => number,
  ) {
    const { allow, max, envelope } = options;
    this.#comparison = comparisonOf(options);
    this.#startSecond = Math.floor(wallNow() / 1000);
    const form = (this.#form = formOf(options, true, this.#observed));
    this.#sentReader = form.sentReader(false, envelope && this.#openerOf(envelope));
    this.#sent = new SentRecords(form.isSame);
    this.#candidates = new Candidates(form.findAlteration);
    this.findings = new CanaryFindings(allow, max, wallNow);
  }

  /** Notes the group of the request that was marked last, which is about to be written. @param bytes whole records, each ended by an LF */
  send(bytes: Uint8Array, nowMs: number): void {
    const writtenMs = this.wallNow();
    this.#startSecond = Math.min(this.#startSecond, Math.floor(writtenMs / 1000));
    this.#sent.add({ number: this.mark.latest, sentMs: nowMs, writtenMs }, this.#read(this.#sentReader, bytes));
  }

  receive(input: Input, { bytes, file: identity }: Growth, nowMs: number): void {
    const file = this.#fileOf(identity);
    const { counted } = file;
    file.counted = undefined;
    const from = counted !== undefined && bytes.subarray(0, counted.length).equals(counted) ? counted.length : 0;
    for (const record of this.#read(this.#readerOf(input), bytes.subarray(from))) this.#receive(input, file, record, nowMs);
  }

  /** Takes a line whose LF has not come: if it is a whole record that is outstanding, it has come. */
  receiveHalf(input: Input, { bytes, file: identity }: Growth, nowMs: number): void {
    const file = this.#fileOf(identity);
    if (file.counted !== undefined) return;
    for (const record of this.#read(this.#readerOf(input), bytes)) {
      if (this.#sent.find(record)?.sent?.isMissing !== false) continue;
      file.counted = bytes;
      this.#receive(input, file, record, nowMs);
    }
  }

  /** True if a record is due: what is there must be read before that is decided. */
  isDue(nowMs: number): boolean {
    const { oldestMs } = this.#sent;
    return oldestMs !== undefined && oldestMs <= nowMs - this.options.late;
  }

  get outstanding(): number {
    return this.#sent.outstanding;
  }

  get mismatch(): FormMismatch | undefined {
    return this.#observed.findMismatch(this.#comparison.as, this.#delivered > 0 || this.#sent.count === 0);
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
      others: Array.from(this.#readers.values()).reduce((sum, { passedOver }) => sum + passedOver, this.#others),
      othersEqual: this.#othersEqual,
      lossy: this.#lossy,
      ...outside,
      latency: this.#latencies.summary,
      findings: counts.findings,
      shown: counts.shown,
    };
  }

  #readerOf(input: Input): RecordReader {
    const known = this.#readers.get(input);
    if (known !== undefined) return known;
    const reader = this.#form.receivedReader(0, false, this.#comparison.as === 'fields' ? undefined : this.#openerOf());
    this.#readers.set(input, reader);
    return reader;
  }

  /** Envelopes are opened before a comparison: a collector takes a record out of its envelope, or puts it into another one. */
  #openerOf(envelope?: EnvelopeName): EnvelopeOpener {
    return new EnvelopeOpener({ envelope, givesStamps: this.#comparison.as === 'fields', isGrowing: true });
  }

  #fileOf(identity: object): ReceivedFile {
    const file = this.#files.get(identity) ?? { latest: -1 };
    this.#files.set(identity, file);
    return file;
  }

  *#read(reader: RecordReader, lines: Uint8Array): Generator<ReadRecord> {
    const digest = { low: 0, high: 0, exact: 0 };
    for (const { bytes, records = [] } of reader.read(lines)) {
      for (let [at, index] = [0, 0]; at < bytes.length; index += 1) {
        const record = records[index];
        const end = record === undefined ? bytes.indexOf(LF, at) : at + record.compared.length;
        this.#form.digestRecord(bytes, at, end, digest);
        // As one number, of the 53 bits that it has room for.
        const key = (digest.high & 0x1fffff) * 2 ** 32 + (digest.low >>> 0);
        const compared = bytes.toString('latin1', at, end);
        const { text = compared, reason } = record ?? {};
        const marks = this.options.kind === 'deprecation' ? [] : this.mark.numbersIn(reason === undefined ? compared : text);
        yield { key, text, compared, reason, marks };
        at = end + 1;
      }
    }
  }

  #receive({ source }: Input, file: ReceivedFile, came: ReadRecord, nowMs: number): void {
    const known = this.#sent.find(came);
    if (known?.sent !== undefined) this.#arrive(known.sent, came, source, file, nowMs);
    else if (known !== undefined) this.findings.add('duplicated', { request: known.request, source, text: came.text });
    else {
      const marks = came.marks.filter((request) => request > this.#sent.forgotten);
      const isFragment = this.#comparison.as !== 'fields' && this.#sent.isBeginning(came);
      if (marks.length === 0 && !isFragment) {
        this.#others += 1;
        if (this.#sent.equalsUnmarked(came)) this.#othersEqual += 1;
        return;
      }
      this.#candidates.add({ ...came, marks, source, isFragment, seenMs: nowMs, after: file.latest });
    }
    this.latestMs = nowMs;
  }

  #arrive(sent: SentRecord, { text, compared }: ReadRecord, source: string, file: ReceivedFile, nowMs: number): void {
    const { request, number, isMissing } = sent;
    const found = { request, source, text };
    this.#sent.take(sent);
    this.#delivered += 1;
    // A line without LF came earlier than it was counted.
    if (file.counted === undefined) {
      const tookMs = Math.max(0, nowMs - request.sentMs);
      this.#latencies.add(tookMs);
      this.recent.add(tookMs, nowMs);
      this.options.onLatency?.(tookMs);
    }
    if (isMissing) {
      this.findings.counts.add('missing', -1);
      this.findings.add('late', found);
    } else {
      this.findings.hasArrived = true;
      if (this.options.lossy === true && sent.compared !== compared) this.#lossy += 1;
    }
    if (!sent.isMarked) return;
    if (!isMissing && number < file.latest) this.findings.add('reordered', found);
    file.latest = Math.max(file.latest, number);
  }

  /** Decides what is due at a moment, at the end everything: what came before must have been received. */
  decide(nowMs: number, isEnd = false): void {
    const { late } = this.options;
    const dueMs = isEnd ? Infinity : nowMs - late;
    const due = this.#sent.takeDue(dueMs);
    const lost = due.flatMap(({ waiting }) => waiting);
    const hasPassed = due.some(({ came }) => came.length > 0);
    const altered = this.#candidates.explain(lost);
    for (const sent of lost) {
      const { request, text } = sent;
      const { candidate, how } = altered.get(sent) ?? {};
      if (candidate === undefined) {
        this.findings.add('missing', { request, text });
        this.#sent.miss(sent);
      } else {
        this.findings.add('altered', { request, source: candidate.source, text: candidate.text, how });
        this.#sent.take(sent);
      }
    }
    for (const candidate of this.#candidates.giveUp(dueMs)) {
      const { marks, reason, source, text } = candidate;
      const number = marks.at(-1);
      // An earlier run of the same name may have written what is stamped before this run began.
      if (number === undefined || secondOf(candidate, this.#comparison) < this.#startSecond) {
        this.#others += 1;
        continue;
      }
      this.hasStrangers ||= reason === undefined;
      this.findings.add('foreign', { request: { number }, source, text, how: reason ?? STRANGER });
    }
    const endsInLoss = due.at(-1) === lost.at(-1)?.request;
    this.findings.endLook(nowMs, { hasPassed, endsInLoss, isEnd });
    this.#sent.forget(nowMs - REMEMBERED * late);
  }
}

/** The Unix second of a load failure; NaN if it cannot be told. */
function secondOf({ compared }: ReadRecord, comparison: Comparison): number {
  if (comparison.as !== 'fields') return parseTimestamp(compared, TIMESTAMP_AT) - parseUtcOffset(compared, ZONE_AT);
  const at = Array.from(comparison.fields.keys()).indexOf('instant');
  return Math.floor(Date.parse(compared.split(BETWEEN_VALUES)[at] ?? '') / 1000);
}
