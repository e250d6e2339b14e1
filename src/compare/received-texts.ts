import type { ReceivedInputs } from './received-inputs.js';
import type { RecordWindow } from './record-window.js';
import { Spill } from './spill.js';
import type { Unmatched } from './unmatched.js';

const NONE = Buffer.alloc(0);

/** Before the texts of a record stand their lengths, 4 bytes each. */
const LENGTHS_BYTES = 8;

/**
 * The texts of received records that wait. Where a line itself is compared, and its input can be read once more, only its position is
 * kept; the others are kept whole.
 */
export class ReceivedTexts {
  readonly #spill = new Spill();
  readonly #inputs: ReceivedInputs;
  readonly #lengths = Buffer.alloc(LENGTHS_BYTES);
  readonly #unmatched: Unmatched;

  constructor(unmatched: Unmatched, inputs: ReceivedInputs) {
    this.#unmatched = unmatched;
    this.#inputs = inputs;
  }

  /** Keeps the next record of a window: what is compared of it (of a line that cannot be a record, why), and what stands on its line. */
  keep({ bytes, at, end, mark, position }: RecordWindow, slot: number): void {
    if (position !== undefined) {
      // Below 0, so that it is told from a place among the texts that are kept. Its length is that of the line there.
      this.#unmatched.places[slot] = -1 - (position + at);
      return;
    }
    // No other record waits, so nothing that was kept is needed any more.
    if (this.#unmatched.size === 1) this.#spill.clear();
    const shown = mark?.text === undefined ? undefined : Buffer.from(mark.text, 'latin1');
    const fault = mark?.fault === undefined ? undefined : Buffer.from(mark.fault);
    this.#lengths.writeUInt32LE(fault?.length ?? end - at, 0);
    this.#lengths.writeUInt32LE(shown?.length ?? 0, 4);
    this.#unmatched.places[slot] = this.#spill.append(this.#lengths);
    if (fault === undefined) this.#spill.append(bytes, at, end);
    else this.#spill.append(fault);
    if (shown !== undefined) this.#spill.append(shown);
  }

  /** The compared part of a record; valid until the next call. */
  compared(slot: number): Buffer {
    return this.#read(slot).compared;
  }

  /** The text on the line of a record, a byte string. */
  shown(slot: number): string {
    const { compared, shown } = this.#read(slot);
    return (shown.length > 0 ? shown : compared).toString('latin1');
  }

  /** Why a line cannot be a record, of one that cannot. */
  faultOf(slot: number): string {
    return this.#read(slot).compared.toString();
  }

  close(): void {
    this.#spill.close();
  }

  #read(slot: number): { readonly compared: Buffer; readonly shown: Buffer } {
    const place = this.#unmatched.places[slot] ?? 0;
    if (place < 0) return { compared: this.#inputs.readLine(-1 - place), shown: NONE };
    const lengths = this.#spill.read(place, LENGTHS_BYTES);
    const comparedLength = lengths.readUInt32LE(0);
    const shownLength = lengths.readUInt32LE(4);
    const texts = this.#spill.read(place + LENGTHS_BYTES, comparedLength + shownLength);
    return { compared: texts.subarray(0, comparedLength), shown: texts.subarray(comparedLength) };
  }
}
