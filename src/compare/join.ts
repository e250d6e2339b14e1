import { Latencies } from '../findings/latencies.js';
import { LF } from '../log/byte-string.js';
import { Aligner, type AlignedRecords, type AlignedPair } from './alignment.js';
import type { Equality } from './equality.js';
import type { ComparedSource } from './options.js';
import { Order } from './order.js';
import { Recent } from './recent.js';
import { Ring, type IsSameAt, type WaitingRecord } from './ring.js';
import { LOOKAHEAD, RecordsAhead } from './records-ahead.js';
import { SpilledTexts } from './spilled-texts.js';

type Need = 'sent' | 'received' | 'decision';

/** At a difference, so many records are aligned first. */
const NEAR = 64;

/** Slots of a ring, or runs, that one step may take. */
const STEP_RECORDS = 2 * LOOKAHEAD;

/** For records that come up to a million lines late. */
const RING_SLOTS = 9 << 17;

/** Bytes of texts that are compared where equal digests do not tell: at first, for each byte that comes, and beside those of each text. */
const FIRST_LOOK_BYTES = 64 << 20;
const LOOKS = 32;
const LOOK_BYTES = 256;

export type ComparedInput = Pick<ComparedSource, 'source' | 'readAt'>;

interface JoinOptions extends Equality {
  readonly sent: readonly ComparedInput[];
  readonly received: readonly ComparedInput[];
  readonly isGrowing?: boolean;
  /** The records of a side that wait at most, 2^15 at least. */
  readonly slots?: number;
}

type JoinedRecord = Pick<WaitingRecord, 'record' | 'line' | 'seenMs'> & { readonly isUnordered?: boolean };

/** A side of a join: the records that come next, and those that wait for their counterparts on the other side. */
export class JoinedSide extends RecordsAhead {
  readonly sources: readonly string[];
  readonly waiting: Ring;
  readonly texts: SpilledTexts;

  constructor(inputs: readonly ComparedInput[], { digestRecord, isSame, slots = RING_SLOTS, isGrowing = false }: JoinOptions) {
    super(digestRecord);
    this.sources = inputs.map(({ source }) => source);
    this.waiting = new Ring(slots, isSame !== undefined, isGrowing);
    this.texts = new SpilledTexts(inputs.map(({ readAt }) => readAt));
  }

  firstWaiting(count: number): readonly string[] {
    const positions = Array.from(this.waiting.positions()).slice(0, count);
    return positions.map((position) => this.textAt(position, true));
  }

  /** The text of a record that waits, a byte string. @param isShown true for that of its line */
  textAt(position: number, isShown = false): string {
    return this.texts.read(this.waiting.at(position).address, isShown).toString('latin1');
  }

  keepNext(): number {
    const { address, text } = this.next;
    return this.texts.keep(this.nextBytes, address, text);
  }
}

/** Finds for each received record the sent record that it is. No two equal records ever wait on both sides: they count as a multiset. */
export class Join {
  readonly sent: JoinedSide;
  readonly received: JoinedSide;
  readonly order = new Order();
  readonly recent: Recent;
  readonly latencies = new Latencies();
  delivered = 0;
  lossy = 0;
  #lookBytes = FIRST_LOOK_BYTES;
  readonly #aligner = new Aligner();
  /** The side whose next records are first looked for among those that wait on the other one; undefined while both go on together. */
  #behind: JoinedSide | undefined;

  constructor(private readonly options: JoinOptions) {
    this.sent = new JoinedSide(options.sent, options);
    this.received = new JoinedSide(options.received, options);
    this.recent = new Recent(options.digestRecord, this.sent.texts);
  }

  /** Goes on until something is needed. Returns undefined when both sides are dry and nothing is left of them. */
  next(): Need | undefined {
    const { sent, received } = this;
    for (;;) {
      if (this.#needsDecision) return 'decision';
      if (sent.isEmpty && !sent.isDry) return 'sent';
      if (received.isEmpty && !received.isDry) return 'received';
      if (sent.isEmpty && received.isEmpty) return undefined;
      if (sent.isEmpty || received.isEmpty) {
        this.#behind = sent.isEmpty ? sent : received;
        this.#take(sent.isEmpty ? received : sent);
        continue;
      }
      // Waiting records come before the next ones: of the equal deprecation records of a second, one ahead is not taken for one behind.
      const hasCaughtUp = this.#behind !== undefined && this.#passFound(this.#behind, true);
      if (!hasCaughtUp && !this.#passEqual()) {
        const need = this.#passDifference();
        if (need !== undefined) return need;
      }
    }
  }

  get #needsDecision(): boolean {
    const { sent, received, order } = this;
    if (sent.waiting.size + received.waiting.size === 0) return order.length > 1;
    return sent.waiting.isFull(STEP_RECORDS) || received.waiting.isFull(STEP_RECORDS) || order.isFull;
  }

  #passEqual(): boolean {
    const { sent, received } = this;
    const before = sent.record;
    if (sent.isPlain && received.isPlain) this.#passBytes();
    // Plain records are compared as bytes again, once those that have been digested are passed.
    while (!(sent.isPlain && received.isPlain) && this.#passPair());
    if (sent.record === before) return false;
    this.#behind = undefined;
    return true;
  }

  #passBytes(): void {
    const { sent, received } = this;
    const { bytes, at } = sent;
    const length = equalLines(bytes, at, received.bytes, received.at);
    if (length === 0) return;
    let records = 0;
    for (let lf = bytes.indexOf(LF, at); lf !== -1 && lf < at + length; lf = bytes.indexOf(LF, lf + 1)) records += 1;
    this.recent.addLines(bytes.subarray(at, at + length), sent.next.address, records);
    this.#deliver(sent.next, received.next, records, () => received.keepNext());
    sent.advanceBytes(length, records);
    received.advanceBytes(length, records);
  }

  #passPair(): boolean {
    const { sent, received } = this;
    const [head, other] = [sent.head, received.head];
    if (head === undefined || head.reason !== undefined || head.low !== other?.low || head.high !== other.high) return false;
    const { isSame } = this.options;
    if (isSame !== undefined && !sent.nextBytes.equals(received.nextBytes)) {
      if (!isSame(sent.nextBytes.toString('latin1'), received.nextBytes.toString('latin1'))) return false;
      this.lossy += 1;
    }
    this.recent.add(head);
    this.#deliver(head, other, 1, () => received.keepNext());
    sent.advance();
    received.advance();
    return true;
  }

  /** Counts records that came in a row as delivered, by the first one on each side. @param keepText keeps the text of the received one */
  #deliver(sent: JoinedRecord, received: JoinedRecord, length: number, keepText: () => number): void {
    this.delivered += length;
    this.latencies.add(received.seenMs - sent.seenMs, length);
    if (received.isUnordered === true) return;
    this.order.add({ sent: sent.record, received: received.record, length, line: received.line }, keepText);
  }

  /** Passes records up to where both sides go on together, by an alignment of those ahead: the longest equal run gives false `reordered`. */
  #passDifference(): Need | undefined {
    const { sent, received } = this;
    let alignment: AlignedRecords | undefined;
    for (const reach of [NEAR, LOOKAHEAD]) {
      if (alignment?.isSure === true) break;
      if (sent.mayScan(reach)) return 'sent';
      if (received.mayScan(reach)) return 'received';
      // Near the ends of both sides, all that is left is aligned. A log that grows has no end: what comes next may belong elsewhere.
      const areLast = this.options.isGrowing !== true && sent.isDry && received.isDry;
      if (alignment === undefined || areLast) alignment = this.#aligner.align(sent, received, reach, areLast) ?? alignment;
    }
    if (alignment !== undefined) {
      this.#passAligned(alignment.pairs);
      return undefined;
    }
    // Little is common. One side goes on alone: if both were passed, equal records of a stretch that moved would be matched with others.
    const side = sent.waiting.size <= received.waiting.size ? sent : received;
    for (let count = 0; count < LOOKAHEAD; count += 1) if (this.#take(side)) this.#behind = side;
    return undefined;
  }

  #passAligned(pairs: readonly AlignedPair[]): void {
    const { sent, received } = this;
    const [sentFrom, receivedFrom] = [sent.record, received.record];
    for (const pair of pairs) {
      // First the sent records: a received one must not be taken for an equal one that is missing earlier.
      while (sent.record < sentFrom + pair.sent) this.#take(sent);
      while (received.record < receivedFrom + pair.received) this.#take(received);
      this.#passPair();
    }
  }

  /** Passes the next record of a side by itself. Returns true if its counterpart waited. */
  #take(side: JoinedSide): boolean {
    const { head } = side;
    if (head === undefined) return false;
    if (this.#passFound(side)) return true;
    const { low, high, exact, record, line, seenMs, reason } = head;
    const isDuplicate = side === this.received && reason === undefined && this.recent.has(head);
    side.waiting.add({ low, high, exact, record, line, address: side.keepNext(), seenMs, reason, isDuplicate });
    side.advance();
    return false;
  }

  /** Passes the next record of a side if its counterpart waits on the other one. @param isBehind true if only one behind the last found will do */
  #passFound(side: JoinedSide, isBehind = false): boolean {
    const { head } = side;
    if (head === undefined || head.reason !== undefined) return false;
    const isSent = side === this.sent;
    const counterpart = isSent ? this.received : this.sent;
    const { waiting, texts } = counterpart;
    const { isSame } = this.options;
    const lookBytes = head.length + LOOK_BYTES;
    this.#lookBytes += LOOKS * lookBytes;
    const isSameAt: IsSameAt | undefined =
      isSame &&
      ((position) => {
        if (this.#lookBytes <= 0) return undefined;
        this.#lookBytes -= lookBytes;
        const text = side.nextBytes.toString('latin1');
        const other = counterpart.textAt(position);
        return isSent ? isSame(text, other) : isSame(other, text);
      });
    const position = waiting.find(head, isSameAt, isBehind);
    if (position === -1) return false;
    const found = waiting.at(position);
    if (isSame !== undefined && !side.nextBytes.equals(texts.read(found.address))) this.lossy += 1;
    if (isSent) this.#deliver(head, found, 1, () => found.address);
    else this.#deliver(found, head, 1, () => side.keepNext());
    this.recent.add(head);
    waiting.remove(position);
    side.advance();
    return true;
  }
}

/** The bytes of whole lines that two buffers have in common from an index in each: by halving, since `Buffer.compare` does not tell where it stops. */
function equalLines(first: Buffer, firstAt: number, second: Buffer, secondAt: number): number {
  const length = Math.min(first.length - firstAt, second.length - secondAt);
  let equal = 0;
  for (let size = length; equal < length && size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const until = Math.min(equal + size, length);
    if (first.compare(second, secondAt + equal, secondAt + until, firstAt + equal, firstAt + until) === 0) equal = until;
  }
  return equal === 0 ? 0 : Math.max(0, first.lastIndexOf(LF, firstAt + equal - 1) + 1 - firstAt);
}
