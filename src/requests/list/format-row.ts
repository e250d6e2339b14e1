import type { LogRequest } from '../../log/group.js';
import { formatIso, formatTimestamp, formatUtcOffset } from '../../log/timestamp.js';
import { zoneNamed, type Zone } from '../../log/zone.js';

export const LIST_HEADER = 'timestamp,http_method,request_target\n';

/** Formats a row of a request list, of byte strings; ends in LF. @param timestamp in any form of a request list */
export function formatRow(timestamp: string, method: string, target: string): string {
  return `${timestamp},${formatCell(method)},${formatCell(target)}\n`;
}

const NEEDS_QUOTES = /[",]/;

function formatCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Of the date and the time of day in ISO 8601, `YYYY-MM-DDTHH:MM:SS`. */
const CLOCK_LENGTH = 19;

/** Formats requests as rows of a list: `2025-05-18T12:00:00.250+02:00,GET,/mail/`. */
export class RowFormatter {
  readonly #zone: Zone;
  #second = NaN;
  /** The texts before and after the milliseconds in that second. */
  #clock = '';
  #offset = '';

  constructor(timezone: string) {
    this.#zone = zoneNamed(timezone);
  }

  format({ millisecond, method, target }: LogRequest): string {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) {
      // Lists show offsets in whole minutes. The time is shifted to match, so that it stays the same instant.
      const offset = Math.trunc(this.#zone.offsetAt(second) / 60) * 60;
      const iso = formatIso({ timestamp: formatTimestamp(second, offset), utcOffset: formatUtcOffset(offset) });
      this.#clock = iso.slice(0, CLOCK_LENGTH);
      this.#offset = iso.slice(CLOCK_LENGTH);
      this.#second = second;
    }
    const fraction = String(millisecond - second * 1000).padStart(3, '0');
    return formatRow(`${this.#clock}.${fraction}${this.#offset}`, method, target);
  }
}
