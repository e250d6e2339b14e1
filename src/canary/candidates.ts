import { isJoined, type Alteration, type FindAlteration } from '../compare/alteration.js';
import { Beginnings, isCut, type ReadRecord, type SentRecord } from './sent-records.js';

/** A received record that may be one that was written, altered: its marks are those of remembered requests. */
interface Candidate extends ReadRecord {
  readonly source: string;
  readonly isFragment: boolean;
  readonly seenMs: number;
  /** Of the marked records that came before it in its file, the number of the one that was written last. A fragment is of a later one. */
  readonly after: number;
  explained?: string;
}

interface AlteredRecord {
  readonly candidate: Candidate;
  readonly how: string;
}

/** The bytes of records that wait, each with some besides its text: beyond, the oldest are given up. */
const MAX_WAITING_BYTES = 64 << 20;
const RECORD_BYTES = 400;

/** Records wait so much longer than those that are due: a fragment may be that of an equal record, written later in the same second. */
const LONGER_MS = 1000;

/** Finds the records that came altered, by their marks, or by their beginnings where the mark was cut off. */
export class Candidates {
  /** In the order in which they came. Those that explain a record stay until they would be given up: they may explain another one. */
  readonly #waiting = new Set<Candidate>();
  readonly #byRequest = new Map<number, Set<Candidate>>();
  /** The fragments that explain no record. */
  readonly #unused = new Beginnings<Candidate>();
  #bytes = 0;

  constructor(private readonly findAlteration: FindAlteration) {}

  add(candidate: Candidate): void {
    this.#waiting.add(candidate);
    this.#bytes += bytesOf(candidate);
    if (candidate.isFragment) this.#unused.add(candidate);
    if (candidate.reason !== undefined) return;
    for (const request of candidate.marks) this.#byRequest.set(request, this.#of(request).add(candidate));
  }

  /** Takes out the records that came with those that are due, and explain none. @param dueMs the moment at which the latter were sent */
  *giveUp(dueMs: number): Generator<Candidate> {
    for (const candidate of this.#waiting) {
      if (candidate.seenMs > dueMs - LONGER_MS && this.#bytes <= MAX_WAITING_BYTES) return;
      this.#waiting.delete(candidate);
      this.#bytes -= bytesOf(candidate);
      this.#unused.delete(candidate);
      for (const request of candidate.marks) {
        const others = this.#of(request);
        others.delete(candidate);
        if (others.size === 0) this.#byRequest.delete(request);
      }
      if (candidate.explained === undefined) yield candidate;
    }
  }

  explain(due: readonly SentRecord[]): ReadonlyMap<SentRecord, AlteredRecord> {
    const altered = new Map<SentRecord, AlteredRecord>();
    const use = (candidate: Candidate, { compared }: SentRecord): void => {
      candidate.explained ??= compared;
      this.#unused.delete(candidate);
    };
    const note = (sent: SentRecord, candidate: Candidate, how = ''): void => {
      altered.set(sent, { candidate, how });
      use(candidate, sent);
    };
    for (const { sent, candidate, alteration } of this.#likeliestOf(due)) {
      const holdsMore = alteration.isFragment && candidate.compared.length > sent.compared.length;
      if (altered.has(sent) || (candidate.explained !== undefined && !holdsMore)) continue;
      note(sent, candidate, alteration.describe());
      // Of a record in two pieces, the second one has the mark; the first is not another record.
      const piece = this.#findUnused(sent, ({ compared }) => compared + candidate.compared === sent.compared);
      if (piece !== undefined) use(piece, sent);
    }
    for (const sent of due) {
      if (altered.has(sent)) continue;
      const joined = Array.from(this.#of(sent.request.number)).find((other) => isOnOneLine(sent, other));
      const fragment = this.#findUnused(sent, ({ after, compared }) => after < sent.number && isCut(compared, sent));
      if (joined !== undefined) note(sent, joined, 'on one line with another record');
      else if (fragment !== undefined) note(sent, fragment, this.findAlteration(sent.compared, fragment.compared)?.describe());
    }
    return altered;
  }

  #of(request: number): Set<Candidate> {
    return this.#byRequest.get(request) ?? new Set();
  }

  #findUnused(sent: SentRecord, isOf: (fragment: Candidate) => boolean): Candidate | undefined {
    for (const fragment of this.#unused.like(sent)) if (isOf(fragment)) return fragment;
    return undefined;
  }

  /** The possible pairs of records and candidates with their marks, the likeliest first. */
  #likeliestOf(due: readonly SentRecord[]) {
    const pairs: { readonly sent: SentRecord; readonly candidate: Candidate; readonly alteration: Alteration }[] = [];
    for (const sent of due) {
      for (const candidate of sent.isMarked ? this.#of(sent.request.number) : []) {
        const alteration = this.findAlteration(sent.compared, candidate.compared);
        if (alteration !== undefined) pairs.push({ sent, candidate, alteration });
      }
    }
    return pairs.sort((pair, other) => other.alteration.likeness - pair.alteration.likeness);
  }
}

/** True if a record, whole or cut, stands on one line with the record that the line explains. */
function isOnOneLine({ compared }: SentRecord, { explained: other, compared: line }: Candidate): boolean {
  return other !== undefined && (isJoined(compared, other, line) || isJoined(other, compared, line));
}

function bytesOf({ compared, text }: Candidate): number {
  return compared.length + text.length + RECORD_BYTES;
}
