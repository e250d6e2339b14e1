import { isJoined, type Alteration, type FindAlteration } from '../compare/alteration.js';
import type { SentRecord, SentRecords } from './sent-records.js';

/** A received record that may be one that was written, altered. */
export interface Candidate {
  /** The input that it came in, as findings name it. */
  readonly source: string;
  /** Its line, and the compared part of it: byte strings without LF. */
  readonly text: string;
  readonly compared: string;
  /** The requests whose marks it carries. */
  readonly requests: readonly number[];
  /** True for one that may be of an earlier run of the same name: if it explains no record, it is none of this run. */
  readonly isEarlier: boolean;
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

/** Groups of candidates by a key, each in the order in which they came. */
class Index<Key> {
  readonly #groups = new Map<Key, Set<Candidate>>();

  of(key: Key): Iterable<Candidate> {
    return this.#groups.get(key) ?? [];
  }

  add(key: Key, candidate: Candidate): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([candidate]));
    else group.add(candidate);
  }

  delete(key: Key, candidate: Candidate): void {
    const group = this.#groups.get(key);
    group?.delete(candidate);
    if (group?.size === 0) this.#groups.delete(key);
  }
}

/** Finds the records that came altered, by their marks, or by their beginnings where the mark was cut off. */
export class Candidates {
  /** In the order in which they came. Those that explain a record stay until they would be due: they may explain another one. */
  readonly #waiting = new Set<Candidate>();
  readonly #byRequest = new Index<number>();
  /** Those that explain a record, and the first one that they explain. */
  readonly #explained = new WeakMap<Candidate, SentRecord>();
  /** The beginnings that explain none: by the record that they are likely of, and by their text. */
  readonly #byBegun = new Index<number>();
  readonly #byText = new Index<string>();
  /** The number of beginnings of each length. */
  readonly #lengths = new Map<number, number>();
  #bytes = 0;
  readonly #findAlteration: FindAlteration;
  readonly #sent: SentRecords;

  constructor(findAlteration: FindAlteration, sent: SentRecords) {
    this.#findAlteration = findAlteration;
    this.#sent = sent;
  }

  add(candidate: Candidate): void {
    const { compared, requests, begun, reason } = candidate;
    this.#waiting.add(candidate);
    this.#bytes += bytesOf(candidate);
    if (reason === undefined) for (const request of requests) this.#byRequest.add(request, candidate);
    if (begun === undefined) return;
    this.#byBegun.add(begun, candidate);
    this.#byText.add(compared, candidate);
    this.#lengths.set(compared.length, (this.#lengths.get(compared.length) ?? 0) + 1);
  }

  /** Takes out the records that came at a moment or before and explain none. */
  *takeDue(seenMs: number): Generator<Candidate> {
    for (const candidate of this.#waiting) {
      if (candidate.seenMs > seenMs && this.#bytes <= MAX_WAITING_BYTES) return;
      this.#waiting.delete(candidate);
      this.#bytes -= bytesOf(candidate);
      for (const request of candidate.requests) this.#byRequest.delete(request, candidate);
      if (this.#explained.has(candidate)) continue;
      this.#endBeginning(candidate);
      yield candidate;
    }
  }

  /** Finds the alterations of records that are due and have not come. */
  explain(due: readonly SentRecord[]): ReadonlyMap<SentRecord, AlteredRecord> {
    const altered = new Map<SentRecord, AlteredRecord>();
    if (this.#waiting.size === 0) return altered;
    const note = (sent: SentRecord, candidate: Candidate, how: string): void => {
      altered.set(sent, { candidate, how });
      this.#use(candidate, sent);
    };
    for (const { sent, candidate, alteration } of this.#likeliestOf(due)) {
      const isShort = candidate.compared.length < sent.compared.length;
      if (altered.has(sent) || (this.#explained.has(candidate) && (isShort || !alteration.isFragment))) continue;
      note(sent, candidate, alteration.describe());
      // The first fragment of a record that was cut in two belongs to the finding of the second one, which has the mark.
      const first = isShort && candidate.begun === undefined ? this.#beginningOf(sent, true) : undefined;
      if (first !== undefined) this.#use(first, sent);
    }
    for (const sent of due) {
      const marked = altered.has(sent) ? [] : this.#byRequest.of(sent.request);
      const joined = Array.from(marked).find((other) => this.#isJoined(sent, other));
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

  /** The possible pairs of records and candidates with their marks, the likeliest first. */
  #likeliestOf(due: readonly SentRecord[]) {
    const pairs: { readonly sent: SentRecord; readonly candidate: Candidate; readonly alteration: Alteration }[] = [];
    for (const sent of due) {
      for (const candidate of sent.isMarked ? this.#byRequest.of(sent.request) : []) {
        const alteration = this.#findAlteration(sent.compared, candidate.compared);
        if (alteration !== undefined) pairs.push({ sent, candidate, alteration });
      }
    }
    return pairs.sort((pair, other) => other.alteration.likeness - pair.alteration.likeness);
  }

  /** True if a record, whole or cut, stands on one line with the record that the line explains. */
  #isJoined({ compared }: SentRecord, candidate: Candidate): boolean {
    const other = this.#explained.get(candidate)?.compared;
    const line = candidate.compared;
    return other !== undefined && (isJoined(compared, other, line) || isJoined(other, compared, line));
  }

  /**
   * The first fragment of a record that was cut before its mark.
   *
   * @param isLikely true for a fragment that is likely that of the record; else any, if the record that it is likely of came or came in
   *   another way
   */
  #beginningOf({ record, compared }: SentRecord, isLikely: boolean): Candidate | undefined {
    if (isLikely) {
      const [likely] = this.#byBegun.of(record);
      return likely;
    }
    for (const length of this.#lengths.keys()) {
      if (length >= compared.length) continue;
      for (const candidate of this.#byText.of(compared.slice(0, length)))
        if (candidate.begun !== undefined && !this.#sent.has(candidate.begun)) return candidate;
    }
    return undefined;
  }

  #use(candidate: Candidate, sent: SentRecord): void {
    if (this.#explained.has(candidate)) return;
    this.#explained.set(candidate, sent);
    this.#endBeginning(candidate);
  }

  #endBeginning(candidate: Candidate): void {
    const { begun, compared } = candidate;
    if (begun === undefined) return;
    this.#byBegun.delete(begun, candidate);
    this.#byText.delete(compared, candidate);
    const left = (this.#lengths.get(compared.length) ?? 0) - 1;
    if (left > 0) this.#lengths.set(compared.length, left);
    else this.#lengths.delete(compared.length);
  }
}

/** The texts of a record, of which one may be another than what is compared, and the rest of it. */
function bytesOf({ compared, text }: Candidate): number {
  return compared.length + text.length + RECORD_BYTES;
}
