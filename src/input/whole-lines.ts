import { FORMS } from '../envelope/envelopes.js';
import { LF } from '../log/byte-string.js';

/** A longer line is not kept: memory stays bounded whatever comes. No record of this log is a tenth of that (JSON may escape it). */
export const MAX_LINE_BYTES = 16 << 20;

const LF_BYTES = Buffer.of(LF);
const START_BYTES = 4096;

/** True for the beginning of a record of this log, an object of JSON, or a record in an envelope. */
function beginsLine(bytes: Buffer): boolean {
  const [start = ''] = bytes.toString('latin1', 0, START_BYTES).split('\n', 1);
  return /^[[{]/.test(start) || FORMS.some(({ open }) => open(start) !== undefined);
}

/** Turns the bytes of a file that grows, cut anywhere, into whole lines. */
export class WholeLines {
  /** The line whose LF has not come: copies of its pieces, up to one byte more than a line may have. */
  #half: Buffer[] = [];
  #length = 0;
  #isCut = false;

  /** @param passesLine true if the rest of a line comes first, which is passed over */
  constructor(private passesLine = false) {}

  /** To be called when the file was truncated. Half a line before that goes on behind it, unless a line begins there. */
  cut(): void {
    this.passesLine = false;
    this.#isCut = true;
  }

  /** The lines that are whole by now, each with its LF; undefined if there are none. */
  take(bytes: Buffer): Buffer | undefined {
    const from = this.passesLine ? bytes.indexOf(LF) + 1 : 0;
    if (this.passesLine && from === 0) return undefined;
    this.passesLine = false;
    if (this.#isCut && this.#length > 0 && beginsLine(bytes)) this.#keep(LF_BYTES);
    this.#isCut = false;
    const until = Math.max(from, bytes.lastIndexOf(LF) + 1);
    const lines = bytes.subarray(from, until);
    const whole = lines.length > 0 && this.#length > 0 ? Buffer.concat([...this.#half, lines]) : lines;
    if (lines.length > 0) [this.#half, this.#length] = [[], 0];
    this.#keep(bytes.subarray(until));
    return whole.length > 0 ? whole : undefined;
  }

  /** The line whose LF has not come, with an LF. */
  get rest(): Buffer | undefined {
    return this.#length > 0 ? Buffer.concat([...this.#half, LF_BYTES]) : undefined;
  }

  #keep(bytes: Buffer): void {
    const kept = Math.min(bytes.length, MAX_LINE_BYTES + 1 - this.#length);
    if (kept <= 0) return;
    this.#half.push(Buffer.from(bytes.subarray(0, kept)));
    this.#length += kept;
  }
}
