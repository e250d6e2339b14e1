import { isJoined, type Alteration } from '../compare/alteration.js';
import type { FindAlteration } from '../compare/gap-pairs.js';
import type { FoundRecord } from './findings.js';
import type { RunMark } from './mark.js';
import { addTo, removeFrom, type Outstanding, type SentRecord } from './outstanding.js';

/** A received record that may be one that was written, altered. */
interface Candidate extends FoundRecord {
  /** The compared part of it, a byte string without LF. */
  readonly compared: string;
  /** The requests whose marks it carries. */
  readonly requests: readonly number[];
  /** The record that it is likely the beginning of; undefined for another line. */
  readonly begun: SentRecord | undefined;
  /** The reason that it cannot be a record. */
  readonly fault: string | undefined;
  readonly seenMs: number;
}

/** The alteration of a record that is due, as it came. */
interface AlteredRecord {
  readonly candidate: Candidate;
  readonly how: string;
}

/** The characters of the received records that wait until the record that they may be is due; beyond, the oldest are given up. */
const MAX_CHARACTERS = 1 << 27;

/** Finds the records that came altered, by their marks, or by their beginnings where the mark was cut off. */
export class Candidates {
  /** In the order in which they came. Those that explain a record stay until they would be due: they may explain another one. */
  readonly #waiting = new Set<Candidate>();
  #characters = 0;
  readonly #byRequest = new Map<number, Set<Candidate>>();
  /** The same by what they hold besides their mark. */
  readonly #byRest = new Map<string, Set<Candidate>>();
  readonly #beginnings = new Set<Candidate>();
  readonly #explained = new WeakSet<Candidate>();
  readonly #findAlteration: FindAlteration;
  readonly #mark: RunMark;
  readonly #outstanding: Outstanding;

  constructor(findAlteration: FindAlteration, mark: RunMark, outstanding: Outstanding) {
    this.#findAlteration = findAlteration;
    this.#mark = mark;
    this.#outstanding = outstanding;
  }

  add(candidate: Candidate): void {
    this.#waiting.add(candidate);
    this.#characters += sizeOf(candidate);
    if (candidate.fault !== undefined) return;
    if (candidate.begun !== undefined) this.#beginnings.add(candidate);
    for (const request of candidate.requests) addTo(this.#byRequest, request, candidate);
    if (candidate.requests.length === 1) addTo(this.#byRest, this.#mark.without(candidate.compared), candidate);
  }

  /** Takes out the records that came at a moment or before and explain none. */
  *takeDue(seenMs: number): Generator<Candidate> {
    for (const candidate of this.#waiting) {
      if (candidate.seenMs > seenMs && this.#characters <= MAX_CHARACTERS) return;
      this.#remove(candidate);
      if (!this.#explained.has(candidate)) yield candidate;
    }
  }

  /** Finds the alterations of records that are due and have not come. */
  explain(due: readonly SentRecord[]): ReadonlyMap<SentRecord, AlteredRecord> {
    const altered = new Map<SentRecord, AlteredRecord>();
    if (this.#waiting.size === 0) return altered;
    const note = (sent: SentRecord, found: AlteredRecord | undefined): void => {
      if (found === undefined) return;
      altered.set(sent, found);
      this.#explained.add(found.candidate);
    };
    const groups = groupByRequest(due);
    for (const { group, marked } of groups.map((group) => ({ group, marked: this.#markedAs(group) }))) {
      for (const { sent, candidate, alteration } of this.#likeliestOf(group, marked)) {
        const isWithin = candidate.compared.length > sent.compared.length && alteration.isPiece;
        if (altered.has(sent) || (this.#explained.has(candidate) && !isWithin)) continue;
        note(sent, { candidate, how: alteration.describe() });
        this.#explainOtherPieces(sent, candidate, marked);
      }
      for (const sent of group) if (!altered.has(sent)) note(sent, this.#findJoined(sent, group, marked));
    }
    for (const isLikely of [true, false])
      for (const sent of due) if (!altered.has(sent)) note(sent, this.#findBeginning(sent, isLikely));
    for (const sent of due) if (!altered.has(sent)) note(sent, this.#findOtherMark(sent));
    return altered;
  }

  /** The candidates with the mark of a group. */
  #markedAs([first]: readonly SentRecord[]): readonly Candidate[] {
    return Array.from(this.#byRequest.get(first?.request ?? NaN) ?? []);
  }

  /** The possible pairs of records and candidates, the likeliest first. */
  #likeliestOf(missing: readonly SentRecord[], marked: readonly Candidate[]) {
    const pairs: { readonly sent: SentRecord; readonly candidate: Candidate; readonly alteration: Alteration }[] = [];
    for (const sent of missing) {
      for (const candidate of marked) {
        const alteration = this.#findAlteration(sent.text, candidate.compared);
        if (alteration !== undefined) pairs.push({ sent, candidate, alteration });
      }
    }
    return pairs.sort((pair, other) => other.alteration.likeness - pair.alteration.likeness);
  }

  /** Two records on one line, the first of them cut. */
  #findJoined(sent: SentRecord, group: readonly SentRecord[], marked: readonly Candidate[]): AlteredRecord | undefined {
    for (const candidate of marked) {
      for (const other of group) {
        if (other === sent || !candidate.compared.includes(other.compared)) continue;
        if (!isJoined(sent.compared, other.compared, candidate.compared)) continue;
        return { candidate, how: 'on one line with another record' };
      }
    }
    return undefined;
  }

  /**
   * The beginning of a record that was cut before its mark. Many records of a second begin alike.
   *
   * @param isLikely true for the record that it is likely the beginning of; else for any, where that one came or came in another way
   */
  #findBeginning(sent: SentRecord, isLikely: boolean): AlteredRecord | undefined {
    for (const candidate of this.#beginnings) {
      const { compared, begun } = candidate;
      if (this.#explained.has(candidate) || begun === undefined) continue;
      const isPossible = isLikely ? begun.record === sent.record : !this.#outstanding.has(begun);
      if (!isPossible || compared.length >= sent.compared.length || !sent.compared.startsWith(compared)) continue;
      return { candidate, how: this.#findAlteration(sent.text, compared)?.describe() ?? '' };
    }
    return undefined;
  }

  /** A record whose mark alone has been changed to another of this run. */
  #findOtherMark(sent: SentRecord): AlteredRecord | undefined {
    if (sent.request === undefined || this.#byRest.size === 0) return undefined;
    for (const candidate of this.#byRest.get(this.#mark.without(sent.compared)) ?? []) {
      if (this.#explained.has(candidate)) continue;
      return { candidate, how: this.#findAlteration(sent.text, candidate.compared)?.describe() ?? '' };
    }
    return undefined;
  }

  /** The further pieces of a record belong to its finding. */
  #explainOtherPieces({ compared }: SentRecord, { compared: piece }: Candidate, marked: readonly Candidate[]): void {
    let left = compared.length - piece.length;
    for (const candidate of left > 0 ? [...this.#beginnings, ...marked] : []) {
      const { length } = candidate.compared;
      if (length > left || this.#explained.has(candidate) || !compared.includes(candidate.compared)) continue;
      if (candidate.begun !== undefined && !compared.startsWith(candidate.compared)) continue;
      this.#explained.add(candidate);
      left -= length;
    }
  }

  #remove(candidate: Candidate): void {
    this.#waiting.delete(candidate);
    this.#characters -= sizeOf(candidate);
    this.#beginnings.delete(candidate);
    for (const request of candidate.requests) removeFrom(this.#byRequest, request, candidate);
    if (candidate.requests.length === 1) removeFrom(this.#byRest, this.#mark.without(candidate.compared), candidate);
  }
}

/** The memory of a candidate; a short one has some, too. */
function sizeOf({ text, compared }: Candidate): number {
  return text.length + compared.length + 128;
}

/** The records of each request. One that carries no target is by itself. */
function groupByRequest(due: readonly SentRecord[]): readonly (readonly SentRecord[])[] {
  const groups = new Map<number, SentRecord[]>();
  for (const sent of due) {
    const group = sent.request === undefined ? undefined : groups.get(sent.request);
    if (group !== undefined) group.push(sent);
    else groups.set(sent.request ?? -1 - sent.record, [sent]);
  }
  return Array.from(groups.values());
}
