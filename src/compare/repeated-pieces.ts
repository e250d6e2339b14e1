import { MIN_PIECE_BYTES } from './alteration.js';
import type { ReceivedTexts } from './received-texts.js';
import type { RecordPasser } from './record-passer.js';
import { RepeatedStretch } from './repeated-stretch.js';

interface Texts {
  readonly receivedTexts: ReceivedTexts;
  /** A record of the expected log by its number, as a byte string. */
  readonly textSent: (record: number) => string;
}

/** Tells pieces of records that were repeated from foreign records: they stand within or beside a repeated stretch. */
export class RepeatedPieces {
  readonly #passer: RecordPasser;
  readonly #texts: Texts;
  /** The repeated stretch that was added last. */
  #last: RepeatedStretch | undefined;

  constructor(passer: RecordPasser, texts: Texts) {
    this.#passer = passer;
    this.#texts = texts;
  }

  /** Takes a received record that was delivered before, and the expected record that it equals; in the order of received records. */
  add(received: number, sent: number): void {
    if (this.#last?.last === received - 1) this.#last.add(sent);
    else this.#last = new RepeatedStretch(received, sent);
  }

  /** True for the beginning or the end of a record that is in a repeated stretch beside it, or next to that stretch. */
  isPiece(slot: number): boolean {
    const { records } = this.#passer.unmatchedReceived;
    const before = this.#last?.last === (records[slot] ?? 0) - 1 ? this.#last : undefined;
    const behind = this.#repeatedBehind(slot);
    if (before === undefined && behind === undefined) return false;
    const sent = [before, behind].flatMap((stretch) => stretch?.ends ?? []);
    const piece = this.#texts.receivedTexts.compared(slot).toString('latin1');
    return piece.length >= MIN_PIECE_BYTES && sent.some((record) => this.#isPieceOf(piece, record));
  }

  #isPieceOf(piece: string, record: number): boolean {
    if (record < 0 || record >= this.#passer.expected.record) return false;
    const text = this.#texts.textSent(record);
    return text.startsWith(piece) || text.endsWith(piece);
  }

  /** The repeated stretch that follows a received record. */
  #repeatedBehind(slot: number): RepeatedStretch | undefined {
    const { unmatchedReceived } = this.#passer;
    const { equals, records } = unmatchedReceived;
    const received = records[slot] ?? 0;
    let stretch: RepeatedStretch | undefined;
    for (let position = unmatchedReceived.positionOf(slot) + 1; position < unmatchedReceived.next; position += 1) {
      const next = unmatchedReceived.slotOf(position);
      const sent = equals[next] ?? 0;
      const isAdjacent = records[next] === (stretch?.last ?? received) + 1;
      if (!unmatchedReceived.isWaiting(next) || sent < 0 || !isAdjacent) break;
      if (stretch === undefined) stretch = new RepeatedStretch(received + 1, sent);
      else stretch.add(sent);
    }
    return stretch;
  }
}
