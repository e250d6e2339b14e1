import { isJoined, type Alteration, type FindAlteration } from '../compare/alteration.js';
import type { SentRecord, SentRecords } from './sent-records.js';

/** A received record that may be one that was written, altered. */
export interface Candidate {
  readonly source: string;
  /** Its line, and the compared part of it: byte strings without LF. */
  readonly text: string;
  readonly compared: string;
  readonly requests: readonly number[];
  /** True for one that may be of an earlier run of the same name: if it explains no record, it is none of this run. */
  readonly isEarlier: boolean;
  /** The number of the record that it is likely the beginning of; undefined for another line. */
  begun: number | undefined;
  readonly reason: string | undefined;
  readonly seenMs: number;
}

interface AlteredRecord {
  readonly candidate: Candidate;
  readonly how: string;
}

/** The bytes of records that wait, each with some besides its text: beyond, the oldest are given up. */
const MAX_WAITING_BYTES = 64 << 20;
const RECORD_BYTES = 400;

/** Finds the records that came altered, by their marks, or by their beginnings where the mark was cut off. */
export class Candidates {
  /** In the order in which they came. Those that explain a record stay until they would be due: they may explain another one. */
  readonly #waiting = new Set<Candidate>();
  readonly #byRequest = new Map<number, Set<Candidate>>();
  /** Those that explain a record, and the first one that they explain. */
  readonly #explained = new WeakMap<Candidate, SentRecord>();
  /** The beginnings, by the records that they are likely of. */
  readonly #byBegun = new Map<number, Candidate>();
  #bytes = 0;
  readonly #findAlteration: FindAlteration;
  readonly #sent: SentRecords;

  constructor(findAlteration: FindAlteration, sent: SentRecords) {
    this.#findAlteration = findAlteration;
    this.#sent = sent;
  }

  add(candidate: Candidate): void {
    const { requests, begun, reason } = candidate;
    this.#waiting.add(candidate);
    this.#bytes += bytesOf(candidate);
    if (begun !== undefined) this.#byBegun.set(begun, candidate);
    if (reason !== undefined) return;
    for (const request of requests) this.#byRequest.set(request, (this.#byRequest.get(request) ?? new Set()).add(candidate));
  }

  /** Notes that a record came whole, or in another way: what seemed its beginning is that of another one, if any. */
  release(record: number): void {
    const candidate = this.#byBegun.get(record);
    if (candidate === undefined) return;
    this.#byBegun.delete(record);
    candidate.begun = this.#explained.has(candidate) ? undefined : this.#sent.takeBegun(candidate.compared, record);
    if (candidate.begun !== undefined) this.#byBegun.set(candidate.begun, candidate);
  }

  /** Takes out the records that came at a moment or before and explain none. A beginning waits until its record is due. */
  *takeDue(seenMs: number): Generator<Candidate> {
    for (const candidate of this.#waiting) {
      const hasRoom = this.#bytes <= MAX_WAITING_BYTES;
      if (candidate.seenMs > seenMs && hasRoom) return;
      if (candidate.begun !== undefined && hasRoom) continue;
      this.#waiting.delete(candidate);
      this.#bytes -= bytesOf(candidate);
      for (const request of candidate.requests) {
        const others = this.#byRequest.get(request);
        others?.delete(candidate);
        if (others?.size === 0) this.#byRequest.delete(request);
      }
      if (this.#explained.has(candidate)) continue;
      if (candidate.begun !== undefined) this.#byBegun.delete(candidate.begun);
      yield candidate;
    }
  }

  /** Finds the alterations of records that are due and have not come. */
  explain(due: readonly SentRecord[]): ReadonlyMap<SentRecord, AlteredRecord> {
    const altered = new Map<SentRecord, AlteredRecord>();
    if (this.#waiting.size === 0) return altered;
    const note = (sent: SentRecord, candidate: Candidate, how: string): void => {
      altered.set(sent, { candidate, how });
      if (!this.#explained.has(candidate)) this.#explained.set(candidate, sent);
    };
    for (const { sent, candidate, alteration } of this.#likeliestOf(due)) {
      const isShort = candidate.compared.length < sent.compared.length;
      if (altered.has(sent) || (this.#explained.has(candidate) && (isShort || !alteration.isFragment))) continue;
      note(sent, candidate, alteration.describe());
      // The first fragment of a record that was cut in two belongs to the finding of the second one, which has the mark.
      const first = isShort && candidate.begun === undefined ? this.#byBegun.get(sent.record) : undefined;
      if (first !== undefined) this.#explained.set(first, sent);
    }
    for (const sent of due) {
      const marked = altered.has(sent) ? [] : (this.#byRequest.get(sent.request.number) ?? []);
      const joined = Array.from(marked).find((other) => this.#isJoined(sent, other));
      if (joined !== undefined) note(sent, joined, 'on one line with another record');
    }
    for (const sent of due) {
      const beginning = altered.has(sent) ? undefined : this.#byBegun.get(sent.record);
      if (beginning !== undefined)
        note(sent, beginning, this.#findAlteration(sent.compared, beginning.compared)?.describe() ?? '');
    }
    for (const { record } of due) this.release(record);
    return altered;
  }

  /** The possible pairs of records and candidates with their marks, the likeliest first. */
  #likeliestOf(due: readonly SentRecord[]) {
    const pairs: { readonly sent: SentRecord; readonly candidate: Candidate; readonly alteration: Alteration }[] = [];
    for (const sent of due) {
      for (const candidate of (sent.isMarked ? this.#byRequest.get(sent.request.number) : undefined) ?? []) {
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
}

function bytesOf({ compared, text }: Candidate): number {
  return compared.length + text.length + RECORD_BYTES;
}
