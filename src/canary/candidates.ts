import { isJoined, type Alteration, type FindAlteration } from '../compare/alteration.js';
import type { FoundRecord } from './findings.js';
import type { SentRecord, SentRecords } from './sent-records.js';

/** A received record that may be one that was written, altered. */
interface Candidate extends FoundRecord {
  /** The compared part of it, a byte string without LF. */
  readonly compared: string;
  /** The requests whose marks it carries. */
  readonly requests: readonly number[];
  /** The number of the record that it is likely the beginning of; undefined for another line. */
  readonly begun: number | undefined;
  /** The reason that it cannot be a record. */
  readonly reason: string | undefined;
  readonly seenMs: number;
}

/** The alteration of a record that is due, as it came. */
interface AlteredRecord {
  readonly candidate: Candidate;
  readonly how: string;
}

/** The bytes of received records that wait until the record that they may be is due; beyond, the oldest are given up. */
const MAX_WAITING_BYTES = 64 << 20;

/** The bytes that a record takes besides its text. */
const RECORD_BYTES = 400;

/** Finds the records that came altered, by their marks, or by their beginnings where the mark was cut off. */
export class Candidates {
  /** In the order in which they came. Those that explain a record stay until they would be due: they may explain another one. */
  readonly #waiting = new Set<Candidate>();
  /** Those that explain a record, and the first one that they explain. */
  readonly #explained = new WeakMap<Candidate, SentRecord>();
  /** The beginnings that explain none. */
  readonly #beginnings = new Set<Candidate>();
  #bytes = 0;
  readonly #findAlteration: FindAlteration;
  readonly #sent: SentRecords;

  constructor(findAlteration: FindAlteration, sent: SentRecords) {
    this.#findAlteration = findAlteration;
    this.#sent = sent;
  }

  add(candidate: Candidate): void {
    this.#waiting.add(candidate);
    this.#bytes += bytesOf(candidate);
    if (candidate.begun !== undefined) this.#beginnings.add(candidate);
  }

  /** Takes out the records that came at a moment or before and explain none. */
  *takeDue(seenMs: number): Generator<Candidate> {
    for (const candidate of this.#waiting) {
      if (candidate.seenMs > seenMs && this.#bytes <= MAX_WAITING_BYTES) return;
      this.#waiting.delete(candidate);
      this.#bytes -= bytesOf(candidate);
      this.#beginnings.delete(candidate);
      if (!this.#explained.has(candidate)) yield candidate;
    }
  }

  /** Finds the alterations of records that are due and have not come. */
  explain(due: readonly SentRecord[]): ReadonlyMap<SentRecord, AlteredRecord> {
    const altered = new Map<SentRecord, AlteredRecord>();
    if (this.#waiting.size === 0 || due.length === 0) return altered;
    const marked = this.#byRequest();
    const note = (sent: SentRecord, candidate: Candidate, how: string): void => {
      altered.set(sent, { candidate, how });
      this.#use(candidate, sent);
    };
    for (const { sent, candidate, alteration } of this.#likeliestOf(due, marked)) {
      const isShort = candidate.compared.length < sent.compared.length;
      if (altered.has(sent) || (this.#explained.has(candidate) && (isShort || !alteration.isFragment))) continue;
      note(sent, candidate, alteration.describe());
      // The first fragment of a record that was cut in two belongs to the finding of the second one, which has the mark.
      const first = isShort && candidate.begun === undefined ? this.#beginningOf(sent, true) : undefined;
      if (first !== undefined) this.#use(first, sent);
    }
    for (const sent of due) {
      const joined = altered.has(sent) ? undefined : marked.get(sent.request)?.find((other) => this.#isJoined(sent, other));
      if (joined !== undefined) note(sent, joined, 'on one line with another record');
    }
    for (const isLikely of [true, false]) {
      for (const sent of due) {
        const beginning = altered.has(sent) ? undefined : this.#beginningOf(sent, isLikely);
        if (beginning !== undefined)
          note(sent, beginning, this.#findAlteration(sent.compared, beginning.compared)?.describe() ?? '');
      }
    }
    return altered;
  }

  /** The candidates by the requests whose marks they carry. */
  #byRequest(): ReadonlyMap<number | undefined, readonly Candidate[]> {
    const candidates = new Map<number | undefined, Candidate[]>();
    for (const candidate of this.#waiting) {
      for (const request of candidate.reason === undefined ? candidate.requests : []) {
        const others = candidates.get(request);
        if (others === undefined) candidates.set(request, [candidate]);
        else others.push(candidate);
      }
    }
    return candidates;
  }

  /** The possible pairs of records and candidates with their marks, the likeliest first. */
  #likeliestOf(due: readonly SentRecord[], marked: ReadonlyMap<number | undefined, readonly Candidate[]>) {
    const pairs: { readonly sent: SentRecord; readonly candidate: Candidate; readonly alteration: Alteration }[] = [];
    for (const sent of due) {
      for (const candidate of marked.get(sent.request) ?? []) {
        const alteration = this.#findAlteration(sent.compared, candidate.compared);
        if (alteration !== undefined) pairs.push({ sent, candidate, alteration });
      }
    }
    return pairs.sort((pair, other) => other.alteration.likeness - pair.alteration.likeness);
  }

  /** True if a record was cut, and another one stands behind it on its line. */
  #isJoined(sent: SentRecord, candidate: Candidate): boolean {
    const other = this.#explained.get(candidate);
    return other !== undefined && isJoined(sent.compared, other.compared, candidate.compared);
  }

  /**
   * The first fragment of a record that was cut before its mark.
   *
   * @param isLikely true for a fragment that is likely that of the record; else any, if the record that it is likely of came or came in
   *   another way
   */
  #beginningOf({ record, compared }: SentRecord, isLikely: boolean): Candidate | undefined {
    for (const candidate of this.#beginnings) {
      const { compared: fragment, begun } = candidate;
      const isPossible = isLikely ? begun === record : begun !== undefined && !this.#sent.has(begun);
      if (isPossible && fragment.length < compared.length && compared.startsWith(fragment)) return candidate;
    }
    return undefined;
  }

  #use(candidate: Candidate, sent: SentRecord): void {
    if (!this.#explained.has(candidate)) this.#explained.set(candidate, sent);
    this.#beginnings.delete(candidate);
  }
}

/** The texts of a record, of which one may be another than what is compared, and the rest of it. */
function bytesOf({ compared, text }: Candidate): number {
  return compared.length + text.length + RECORD_BYTES;
}
