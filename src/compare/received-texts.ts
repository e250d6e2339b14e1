import type { RecordWindow } from './record-window.js';
import { Spill } from './spill.js';
import { FAULTY } from './record-matcher.js';
import type { Unmatched } from './unmatched.js';

/** The texts of received records that wait. */
export class ReceivedTexts {
  readonly #spill = new Spill();
  readonly #unmatched: Unmatched;

  constructor(unmatched: Unmatched) {
    this.#unmatched = unmatched;
  }

  /** Keeps the next record of a window: what is compared of it (of a line that cannot be a record, why), and what stands on its line. */
  keep({ bytes, at, end, mark }: RecordWindow, slot: number): void {
    const unmatched = this.#unmatched;
    if (unmatched.size === 1) this.#spill.clear();
    unmatched.places[slot] = this.#spill.length;
    if (mark?.fault !== undefined) this.#spill.append(Buffer.from(mark.fault));
    else this.#spill.append(bytes, at, end);
    unmatched.lengths[slot] = this.#spill.length - (unmatched.places[slot] ?? 0);
    if (mark?.text !== undefined) this.#spill.append(Buffer.from(mark.text, 'latin1'));
    unmatched.shownLengths[slot] = this.#spill.length - (unmatched.places[slot] ?? 0) - (unmatched.lengths[slot] ?? 0);
  }

  /** What is compared of a record, a byte string. */
  compared(slot: number): string {
    return this.#spill.read(this.#unmatched.places[slot] ?? 0, this.#unmatched.lengths[slot] ?? 0).toString('latin1');
  }

  /** What stands on the line of a record, a byte string. */
  shown(slot: number): string {
    const { places, lengths, shownLengths } = this.#unmatched;
    const length = shownLengths[slot] ?? 0;
    if (length === 0) return this.compared(slot);
    return this.#spill.read((places[slot] ?? 0) + (lengths[slot] ?? 0), length).toString('latin1');
  }

  /** Why a line cannot be a record; undefined for one that can. */
  faultOf(slot: number): string | undefined {
    const { places, lengths, flags } = this.#unmatched;
    if (flags[slot] !== FAULTY) return undefined;
    return this.#spill.read(places[slot] ?? 0, lengths[slot] ?? 0).toString();
  }

  close(): void {
    this.#spill.close();
  }
}
