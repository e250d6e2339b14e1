import { LF } from '../log/byte-string.js';
import { DeliveryOrder } from './delivery-order.js';
import type { Digest } from './digest.js';
import { equalLines } from './equal-stretch.js';
import type { PasserOptions } from './passer-options.js';
import type { RecordWindow } from './record-window.js';
import { SentMemory } from './sent-memory.js';
import { FAULTY, UNLIKE, Unmatched } from './unmatched.js';

/**
 * Passes records of both sides: two that are equal together, others singly. A record that is passed by itself waits in a table, unless an
 * equal one waits on the other side: both are delivered then.
 */
export class RecordPasser {
  readonly expected: RecordWindow;
  readonly received: RecordWindow;
  readonly unmatchedExpected = new Unmatched(false);
  readonly unmatchedReceived = new Unmatched(true);
  readonly order: DeliveryOrder;
  readonly memory: SentMemory;
  /** Records that were delivered with other bytes than they were sent with. */
  lossy = 0;
  /** The first expected record from which on nothing has come to wait. */
  quietSince = 0;
  readonly #options: PasserOptions;
  readonly #sentHead = (): Buffer => this.expected.head;
  readonly #receivedHead = (): Buffer => this.received.head;
  readonly #digest: Digest = { low: 0, high: 0 };
  /** The last expected record that was delivered late, and its position among those that waited. */
  #lateRecord = -1;
  #latePosition = 0;
  /** The last received record that was there early, and its position. */
  #earlyRecord = -1;
  #earlyPosition = 0;
  #follows: 'late' | 'early' | undefined;

  constructor(expected: RecordWindow, received: RecordWindow, options: PasserOptions) {
    this.expected = expected;
    this.received = received;
    this.order = new DeliveryOrder(options.onReordered);
    this.memory = new SentMemory({ remembersAll: options.remembersAll, digestSent: this.digestSent });
    this.#options = options;
  }

  /** Puts the digest of a record of the expected log that has been passed into `digest`. */
  readonly digestSent = (record: number, digest: Digest): void => {
    const bytes = this.#options.readSent(record);
    this.#options.digestRecord(bytes, 0, bytes.length, digest);
  };

  /** Gives up the tables, once all that waits has been settled. */
  forget(): void {
    this.unmatchedExpected.clear();
    this.unmatchedReceived.clear();
    this.memory.forget();
  }

  /** Both sides go on together: no stretch that one side has passed is followed any longer. */
  endStretch(): void {
    this.#follows = undefined;
  }

  /** True if the next records of both sides are equal. */
  headsAreEqual(): boolean {
    const { expected, received } = this;
    if (expected.isEmpty || received.isEmpty) return false;
    expected.lookAhead(1);
    received.lookAhead(1);
    return expected.equals(0, received, 0) && this.#isSame(this.#sentHead, this.#receivedHead);
  }

  /** True if two records with equal digests are equal. Their texts are read only where digests do not tell. */
  #isSame(readSent: () => Buffer, readReceived: () => Buffer): boolean {
    const { isSame } = this.#options;
    if (isSame === undefined) return true;
    const sent = readSent();
    const received = readReceived();
    return sent.equals(received) || isSame(sent, received);
  }

  /** Counts a record that is delivered with other bytes than it was sent with. */
  #noteBytes(readSent: () => Buffer, readReceived: () => Buffer): void {
    if (this.#options.isSame !== undefined && !readSent().equals(readReceived())) this.lossy += 1;
  }

  /** Passes a record that is the next one on both sides. */
  passPair(): void {
    const { expected, received } = this;
    this.order.add(expected.record, received.record, 1);
    this.#noteBytes(this.#sentHead, this.#receivedHead);
    this.#noteDelivered();
    expected.advance();
    received.advance();
  }

  /** Passes the lines that both windows hold next and that are equal, as bytes. */
  passEqualBytes(): void {
    const { expected, received } = this;
    const { bytes, at, record } = expected;
    const length = Math.min(bytes.length - at, received.bytes.length - received.at);
    const end = at + equalLines(bytes, at, received.bytes, received.at, length);
    if (end === at) return;
    const isWatched = this.#isWatching;
    let records = 0;
    for (let start = at; start < end; records += 1) {
      const lf = bytes.indexOf(LF, start);
      if (isWatched) {
        this.#options.digestRecord(bytes, start, lf, this.#digest);
        this.#noteDigest(this.#digest, record + records);
      }
      start = lf + 1;
    }
    this.order.add(record, received.record, records);
    received.advanceTo(received.at + end - at, records);
    expected.advanceTo(end, records);
  }

  /** Expected records have to be made known, since something waits or may be repeated. */
  get #isWatching(): boolean {
    return this.memory.isOn || this.unmatchedExpected.size > 0 || this.unmatchedReceived.size > 0;
  }

  /** Notes that the next expected record has been delivered. */
  #noteDelivered(): void {
    this.expected.lookAhead(1);
    this.expected.readDigest(0, this.#digest);
    this.#noteDigest(this.#digest, this.expected.record);
  }

  #noteDigest(digest: Digest, record: number): void {
    this.memory.add(digest);
    if (this.unmatchedExpected.size > 0) this.unmatchedExpected.moveToLastEqual(digest, record);
    if (this.unmatchedReceived.size > 0) this.unmatchedReceived.noteSent(digest, record);
  }

  /** Goes on in a stretch that one side has passed, record by record; false if it does not go on. */
  followStretch(): boolean {
    const before = this.expected.record + this.received.record;
    if (this.#follows === 'late') {
      this.received.lookAhead(1);
      this.received.readDigest(0, this.#digest);
      const slot = this.unmatchedExpected.findSuccessor(this.#latePosition, this.#digest);
      if (slot !== -1 && this.#isSameAsReceived(slot)) this.#passLate(slot);
    } else if (this.#follows === 'early') {
      this.expected.lookAhead(1);
      this.expected.readDigest(0, this.#digest);
      const slot = this.unmatchedReceived.findSuccessor(this.#earlyPosition, this.#digest);
      if (slot !== -1 && this.#isSameAsExpected(slot)) this.#passEarly(slot);
    }
    return this.expected.record + this.received.record > before;
  }

  /** Passes the next expected record by itself; true if it was received before. */
  passExpected(): boolean {
    const { expected } = this;
    expected.lookAhead(1);
    expected.readDigest(0, this.#digest);
    const slot = this.#findReceived();
    if (slot !== -1) {
      this.#passEarly(slot);
      return true;
    }
    this.#follows = undefined;
    this.memory.add(this.#digest);
    this.unmatchedExpected.add(expected.record, this.#digest);
    this.quietSince = expected.record;
    expected.advance();
    return false;
  }

  /** Passes the next received record by itself; true if it was expected before. */
  passReceived(): boolean {
    const { received } = this;
    received.lookAhead(1);
    received.readDigest(0, this.#digest);
    const slot = this.#findExpected();
    if (slot !== -1) {
      this.#passLate(slot);
      return true;
    }
    this.#follows = undefined;
    this.memory.begin(this.expected.record);
    const added = this.unmatchedReceived.add(received.record, this.#digest);
    this.unmatchedReceived.equals[added] = received.mark?.fault === undefined ? this.#findRepeated() : FAULTY;
    this.#options.keepReceived(added);
    this.quietSince = this.expected.record;
    received.advance();
    return false;
  }

  /** The expected record that the next received one, whose digest has been read, repeats; `UNLIKE` for none. */
  #findRepeated(): number {
    const record = this.memory.recent.find(this.#digest);
    const waiting = this.unmatchedExpected.find(this.#digest, record - 1);
    // A record with an equal digest that still waits is not the same: it was not delivered.
    return record === -1 || this.unmatchedExpected.records[waiting] === record ? UNLIKE : record;
  }

  /** The slot of a received record that waits and equals the next expected one, whose digest has been read; -1 for none. */
  #findReceived(): number {
    const slot = this.unmatchedReceived.find(this.#digest, this.#earlyRecord);
    if (slot === -1 || this.#isSameAsExpected(slot)) return slot;
    return this.unmatchedReceived.equalTo(this.#digest).find((other) => this.#isSameAsExpected(other)) ?? -1;
  }

  /** The slot of an expected record that waits and equals the next received one, whose digest has been read; -1 for none. */
  #findExpected(): number {
    const slot = this.unmatchedExpected.find(this.#digest, this.#lateRecord);
    if (slot === -1 || this.#isSameAsReceived(slot)) return slot;
    return this.unmatchedExpected.equalTo(this.#digest).find((other) => this.#isSameAsReceived(other)) ?? -1;
  }

  #isSameAsExpected(slot: number): boolean {
    return this.#isSame(this.#sentHead, () => this.#options.readReceived(slot));
  }

  #isSameAsReceived(slot: number): boolean {
    const record = this.unmatchedExpected.records[slot] ?? 0;
    return this.#isSame(() => this.#options.readSent(record), this.#receivedHead);
  }

  /** The next received record is an expected one that was passed. */
  #passLate(slot: number): void {
    const { unmatchedExpected, received } = this;
    this.#lateRecord = unmatchedExpected.records[slot] ?? 0;
    this.#latePosition = unmatchedExpected.positionOf(slot);
    this.#follows = 'late';
    this.#noteBytes(() => this.#options.readSent(this.#lateRecord), this.#receivedHead);
    this.order.add(this.#lateRecord, received.record, 1);
    unmatchedExpected.removeEqual(slot, this.#digest);
    this.quietSince = this.expected.record;
    received.advance();
  }

  /** The next expected record is a received one that was passed. */
  #passEarly(slot: number): void {
    const { unmatchedReceived, expected } = this;
    this.#earlyRecord = unmatchedReceived.records[slot] ?? 0;
    this.#earlyPosition = unmatchedReceived.positionOf(slot);
    this.#follows = 'early';
    this.#noteBytes(this.#sentHead, () => this.#options.readReceived(slot));
    this.order.add(expected.record, this.#earlyRecord, 1);
    unmatchedReceived.remove(slot);
    this.#noteDelivered();
    expected.advance();
  }
}
