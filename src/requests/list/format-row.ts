import type { LogRequest } from '../../log/group.js';
import { formatIso, formatTimestamp, formatUtcOffset } from '../../log/timestamp.js';
import { zoneNamed, type Zone } from '../../log/zone.js';

/** The header of a request list; ends in LF. */
export const LIST_HEADER = 'timestamp,http_method,request_target\n';

/**
 * Formats a row of a request list, the inverse of `readRequestList`; ends in LF. Cells are quoted where RFC 4180 requires it.
 *
 * @param timestamp a time in any form that request lists accept
 * @param method a byte string
 * @param target a byte string
 */
export function formatRow(timestamp: string, method: string, target: string): string {
  return `${timestamp},${formatCell(method)},${formatCell(target)}\n`;
}

const NEEDS_QUOTES = /[",]/;

function formatCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The length of the date and the time of day in ISO 8601, `YYYY-MM-DDTHH:MM:SS`. */
const CLOCK_LENGTH = 19;

/** Formats requests as rows of a list, with milliseconds: `2025-05-18T12:00:00.250+02:00,GET,/mail/`. */
export class RowFormatter {
  readonly #zone: Zone;
  #second = NaN;
  /** The texts before and after the milliseconds in that second. */
  #clock = '';
  #offset = '';

  /** @param timezone the IANA name of the zone of the timestamps */
  constructor(timezone: string) {
    this.#zone = zoneNamed(timezone);
  }

  /** Formats the row of a request, a byte string that ends in LF. */
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
