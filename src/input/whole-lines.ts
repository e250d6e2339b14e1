import { FORMS } from '../envelope/envelopes.js';
import { LF } from '../log/byte-string.js';

/** A longer line is not kept: memory stays bounded whatever comes. No record of this log is a tenth of that (JSON may escape it). */
export const MAX_LINE_BYTES = 16 << 20;

const LF_BYTES = Buffer.of(LF);

const START_BYTES = 4096;

/** True for what begins as a line of its own does: a record of this log, an object of JSON, or a record in an envelope. */
function beginsLine(text: string): boolean {
  return /^[[{]/.test(text) || FORMS.some(({ open }) => open(text) !== undefined);
}

/** Turns the bytes of a file that grows, cut anywhere, into whole lines. */
export class WholeLines {
  /** The line whose LF has not come: copies of its pieces, up to one byte more than a line may have. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** The half line that stood at the end when the file was truncated. */
  #cutOff: Buffer | undefined;
  #passesLine: boolean;

  constructor(passesLine = false) {
    this.#passesLine = passesLine;
  }

  /** The lines that are whole by now, each with its LF; undefined if there are none. */
  take(bytes: Buffer): Buffer | undefined {
    const from = this.#passesLine ? bytes.indexOf(LF) + 1 : 0;
    if (this.#passesLine && from === 0) return undefined;
    this.#passesLine = false;
    const until = Math.max(from, bytes.lastIndexOf(LF) + 1);
    const lines = bytes.subarray(from, until);
    const whole = lines.length > 0 && this.#isWithinLine ? Buffer.concat([...this.#takeHalf(lines), lines]) : lines;
    this.#keep(bytes.subarray(until));
    return whole.length > 0 ? whole : undefined;
  }

  /** To be called when the file was truncated: what comes now stands at its beginning. */
  cut(): void {
    this.#passesLine = false;
    const half = Buffer.concat(this.#takeHalf(LF_BYTES));
    this.#cutOff = half.length > 0 ? half : undefined;
  }

  /** The line whose LF has not come, with an LF. */
  get rest(): Buffer | undefined {
    return this.#isWithinLine ? Buffer.concat([...this.#halfBefore(LF_BYTES), LF_BYTES]) : undefined;
  }

  get #isWithinLine(): boolean {
    return this.#length > 0 || this.#cutOff !== undefined;
  }

  #takeHalf(next: Buffer): readonly Buffer[] {
    const half = this.#halfBefore(next);
    this.#pieces = [];
    this.#length = 0;
    this.#cutOff = undefined;
    return half;
  }

  /** The half line before some bytes. One that was cut off by a truncation goes on behind it, unless a line begins there. */
  #halfBefore(next: Buffer): readonly Buffer[] {
    const cutOff = this.#cutOff;
    if (cutOff === undefined) return this.#pieces;
    const [start = ''] = Buffer.concat([...this.#pieces, next])
      .toString('latin1', 0, START_BYTES)
      .split('\n');
    return [cutOff, ...(beginsLine(start) ? [LF_BYTES] : []), ...this.#pieces];
  }

  #keep(bytes: Buffer): void {
    const kept = Math.min(bytes.length, MAX_LINE_BYTES + 1 - this.#length);
    if (kept <= 0) return;
    this.#pieces.push(Buffer.from(bytes.subarray(0, kept)));
    this.#length += kept;
  }
}
