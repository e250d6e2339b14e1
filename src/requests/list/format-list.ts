import type { LogRequest } from '../../log/group.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import { formatRow } from './format-row.js';

/** Formats requests as rows of a list, with milliseconds: `2025-05-18T12:00:00.250+02:00,GET,/mail/`. */
export class RowFormatter {
  readonly #zone: Zone;
  #second = NaN;
  /** What stands before and behind the milliseconds of that second. */
  #clock = '';
  #offset = '';

  /** @param timezone IANA name of the zone on whose clock times are shown */
  constructor(timezone: string) {
    this.#zone = zoneNamed(timezone);
  }

  /** The row of a request, a byte string; ends in LF. */
  format({ millisecond, method, target }: LogRequest): string {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#setSecond(second);
    const fraction = String(millisecond - second * 1000).padStart(3, '0');
    return formatRow(`${this.#clock}.${fraction}${this.#offset}`, method, target);
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
