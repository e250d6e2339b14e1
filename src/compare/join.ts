import { LF } from '../log/byte-string.js';
import { Aligner, type Alignment, type Place } from './alignment.js';
import { equalLines, type Digest, type DigestRecord } from './digest.js';
import type { Latencies } from './findings.js';
import { Order } from './order.js';
import { Recent } from './recent.js';
import { Ring } from './ring.js';
import { LOOKAHEAD, Side } from './side.js';
import type { Texts } from './texts.js';

/** The join's need before it can go on: more of one side, or a decision about what waits. */
type Need = 'sent' | 'received' | 'decision';

type SideName = 'sent' | 'received';

/** At a difference, the records so near are aligned first. */
const NEAR = 64;

/** Slots of a ring, or runs, that one step may take. */
const STEP_RECORDS = 2 * LOOKAHEAD;

/** The slots of a ring: for records that come up to a million lines late. */
const RING_SLOTS = 9 << 17;

interface JoinOptions {
  readonly digestRecord: DigestRecord;
  /** Tells whether records with equal digests are equal; undefined where they always are. */
  readonly isSame: ((sent: Buffer, received: Buffer) => boolean) | undefined;
  readonly sentTexts: Texts;
  readonly receivedTexts: Texts;
  readonly latencies: Latencies;
  /** True if a side on which nothing is left may go on. */
  readonly isGrowing?: boolean;
  /**
   * The records of a side that wait at most, and those between them: 2^15 at least, so that some are due when there is no room for a step.
   * Default: for those that come up to a million lines late.
   */
  readonly slots?: number;
}

/**
 * Finds for each received record the sent record that it is. It is the only matcher.
 *
 * Bytes are compared where both sides go on alike. At a difference, records are digested, and those ahead are aligned. Records of one
 * side alone are looked for among those that wait on the other side. Where no equal one waits, they wait themselves. So no two equal
 * records ever wait on both sides: records are counted as a multiset, wherever they are.
 */
export class Join {
  readonly sent: Side;
  readonly received: Side;
  readonly waitingSent: Ring;
  readonly waitingReceived: Ring;
  readonly order = new Order();
  readonly recent: Recent;
  /** Records that were delivered with other bytes than they were sent with. */
  lossy = 0;
  readonly #options: JoinOptions;
  readonly #aligner = new Aligner();
  /** Of logs that grow, the side on which nothing came while the other one waits, until both go on together. */
  #behind: SideName | undefined;

  constructor(options: JoinOptions) {
    const { digestRecord, slots = RING_SLOTS, sentTexts } = options;
    this.sent = new Side(digestRecord);
    this.received = new Side(digestRecord);
    this.waitingSent = new Ring(slots);
    this.waitingReceived = new Ring(slots);
    this.recent = new Recent(digestRecord, sentTexts);
    this.#options = options;
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
        this.#behind = sent.isEmpty ? 'sent' : 'received';
        this.#take(sent.isEmpty ? 'received' : 'sent');
      } else if (!this.#catchUp() && !this.#passEqual()) {
        const need = this.#passDifference();
        if (need !== undefined) return need;
      }
    }
  }

  /** True for a received record that came once more than it was sent. */
  isRepeated(digest: Digest): boolean {
    return this.recent.has(digest);
  }

  get #needsDecision(): boolean {
    const { waitingSent, waitingReceived, order } = this;
    if (waitingSent.size + waitingReceived.size === 0) return order.length > 1;
    return waitingSent.isFull(STEP_RECORDS) || waitingReceived.isFull(STEP_RECORDS) || order.isFull;
  }

  /** Passes records that come next on both sides; false if there are none. */
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

  /**
   * Goes on with a record that comes next in what waits ahead; false if there is none. That comes before what is next on both sides:
   * a deprecation record has equals in its second, and one that is ahead must not be taken for one that is behind.
   */
  #catchUp(): boolean {
    return this.#behind !== undefined && this.#passFound(this.#behind, true);
  }

  /** Passes lines that come next on both sides, as bytes. */
  #passBytes(): void {
    const { sent, received } = this;
    const { bytes, at } = sent;
    const length = equalLines(bytes, at, received.bytes, received.at);
    if (length === 0) return;
    let records = 0;
    for (let lf = bytes.indexOf(LF, at); lf !== -1 && lf < at + length; lf = bytes.indexOf(LF, lf + 1)) records += 1;
    this.recent.addLines(bytes.subarray(at, at + length), sent.next.place, records);
    this.#deliverNext(() => bytes.subarray(at, bytes.indexOf(LF, at)), records);
    sent.advanceBytes(length, records);
    received.advanceBytes(length, records);
  }

  /** Passes a record that comes next on both sides; false if there is none. */
  #passPair(): boolean {
    const { sent, received } = this;
    const [head, other] = [sent.head, received.head];
    if (head === undefined || head.fault !== undefined || head.low !== other?.low || head.high !== other.high) return false;
    const { isSame } = this.#options;
    const areEqual = isSame === undefined || sent.headBytes.equals(received.headBytes);
    if (!areEqual && !isSame(sent.headBytes, received.headBytes)) return false;
    if (!areEqual) this.lossy += 1;
    this.recent.add(head);
    this.#deliverNext(() => received.headBytes, 1);
    sent.advance();
    received.advance();
    return true;
  }

  /** Delivers records that come next on both sides. @param readFirst gives the bytes of the first one */
  #deliverNext(readFirst: () => Buffer, records: number): void {
    const { sent, received, order } = this;
    const { next } = received;
    this.#options.latencies.add(next.seenMs - sent.next.seenMs, records);
    const run = { sent: sent.record, received: received.record, length: records, line: next.line };
    order.add(run, () => this.#options.receivedTexts.keep(readFirst(), next.place, next.text));
  }

  /** Passes records up to where both sides go on together, as far as that can be told. */
  #passDifference(): Need | undefined {
    const { sent, received } = this;
    let alignment: Alignment | undefined;
    for (const reach of [NEAR, LOOKAHEAD]) {
      if (alignment?.isSure === true) break;
      if (sent.mayScan(reach)) return 'sent';
      if (received.mayScan(reach)) return 'received';
      // Near the ends of both sides, all that is left is aligned. A log that grows has no end: what comes next may belong elsewhere.
      const areLast = this.#options.isGrowing !== true && sent.isDry && received.isDry;
      if (alignment === undefined || areLast) alignment = this.#aligner.align(sent, received, reach, areLast) ?? alignment;
    }
    if (alignment !== undefined) {
      this.#passAligned(alignment.places);
      return undefined;
    }
    // Little is common. One side goes on: it may come to what is next on the other.
    const side = this.waitingSent.size <= this.waitingReceived.size ? 'sent' : 'received';
    for (let count = 0; count < LOOKAHEAD; count += 1) this.#take(side);
    return undefined;
  }

  /** Passes aligned records: those before each place by themselves, and the pair there. */
  #passAligned(places: readonly Place[]): void {
    const { sent, received } = this;
    const [sentFrom, receivedFrom] = [sent.record, received.record];
    for (const place of places) {
      // First the sent records: a received one must not be taken for an equal one that is missing earlier.
      while (sent.record < sentFrom + place.sent) this.#take('sent');
      while (received.record < receivedFrom + place.received) this.#take('received');
      this.#passPair();
    }
  }

  /** Passes the next record of a side by itself. */
  #take(name: SideName): void {
    const side = this[name];
    const { head, record } = side;
    if (head === undefined || this.#passFound(name)) return;
    const { sentTexts, receivedTexts } = this.#options;
    const [waiting, texts] = name === 'sent' ? [this.waitingSent, sentTexts] : [this.waitingReceived, receivedTexts];
    const { low, high, line, seenMs, fault } = head;
    const place = texts.keep(side.headBytes, head.place, head.text);
    const isRepeated = name === 'received' && fault === undefined && this.isRepeated(head);
    waiting.add({ low, high, record, line, place, seenMs, fault, isRepeated });
    side.advance();
  }

  /**
   * Passes the next record of a side if its counterpart waits on the other side; false if none does.
   *
   * @param isBehind true if the counterpart must come behind the one that was found last
   */
  #passFound(name: SideName, isBehind = false): boolean {
    const { isSame, sentTexts, receivedTexts, latencies } = this.#options;
    const [side, isSent] = [this[name], name === 'sent'];
    const { head, record } = side;
    if (head === undefined || head.fault !== undefined) return false;
    const [waiting, texts] = isSent ? [this.waitingReceived, receivedTexts] : [this.waitingSent, sentTexts];
    const isSameAt =
      isSame &&
      ((other: number) => {
        const text = texts.read(waiting.at(other).place);
        return isSent ? isSame(side.headBytes, text) : isSame(text, side.headBytes);
      });
    const position = waiting.find(head, isSameAt, isBehind);
    if (position === -1) return false;
    const found = waiting.at(position);
    if (isSame !== undefined && !side.headBytes.equals(texts.read(found.place))) this.lossy += 1;
    const next = { record, line: head.line, seenMs: head.seenMs };
    const [sent, received] = isSent ? [next, found] : [found, next];
    latencies.add(received.seenMs - sent.seenMs);
    const run = { sent: sent.record, received: received.record, length: 1, line: received.line };
    this.order.add(run, () => (isSent ? found.place : receivedTexts.keep(side.headBytes, head.place, head.text)));
    this.recent.add(head);
    waiting.remove(position);
    side.advance();
    return true;
  }
}
