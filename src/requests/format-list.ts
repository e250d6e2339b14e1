import type { LogRequest } from '../log/group.js';
import { zoneNamed, type Zone } from '../log/zone.js';

/** The header of a request list, with its LF. */
export const LIST_HEADER = 'timestamp,http_method,request_target\n';

/** A row of a request list, a byte string with its LF. A target is quoted where RFC 4180 asks for it; nothing else ever needs it. */
function formatRow(timestamp: string, method: string, target: string): string {
  const cell = /[",]/.test(target) ? `"${target.replaceAll('"', '""')}"` : target;
  return `${timestamp},${method},${cell}\n`;
}

/** Renders requests as rows of a list, with milliseconds: `2025-05-18T12:00:00.250+02:00,GET,/mail/`. */
export class RowRenderer {
  readonly #zone: Zone;
  #second = NaN;
  /** What stands before and behind the milliseconds of that second. */
  #clock = '';
  #offset = '';
  #row = Buffer.alloc(256);

  /** @param timezone IANA name of the zone on whose clock times are shown */
  constructor(timezone: string) {
    this.#zone = zoneNamed(timezone);
  }

  /** The bytes of a request's row, with its LF. They are good until the next call. */
  render({ millisecond, method, target }: LogRequest): Uint8Array {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#setSecond(second);
    const fraction = String(millisecond - second * 1000).padStart(3, '0');
    const row = formatRow(`${this.#clock}.${fraction}${this.#offset}`, method, target);
    if (row.length > this.#row.length) this.#row = Buffer.alloc(2 * row.length);
    return this.#row.subarray(0, this.#row.write(row, 'latin1'));
  }

  #setSecond(second: number): void {
    // A list has no offsets but in whole minutes: what is shown is the same instant.
    const minutes = Math.trunc(this.#zone.offsetAt(second) / 60);
    const size = Math.abs(minutes);
    const parts = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'));
    this.#clock = new Date((second + minutes * 60) * 1000).toISOString().slice(0, 19);
    this.#offset = `${minutes < 0 ? '-' : '+'}${parts.join(':')}`;
    this.#second = second;
  }
}
