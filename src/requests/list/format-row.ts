import type { LogRequest } from '../../log/group.js';
import { formatIso, formatTimestamp, formatUtcOffset } from '../../log/timestamp.js';
import { zoneNamed } from '../../log/zone.js';

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

/** Makes a function that formats requests as rows of a list: `2025-05-18T12:00:00.250+02:00,GET,/mail/`. */
export function rowFormatter(timezone: string): (request: LogRequest) => string {
  const zone = zoneNamed(timezone);
  let [latest, clock, utcOffset] = [NaN, '', ''];
  return ({ millisecond, method, target }) => {
    const second = Math.floor(millisecond / 1000);
    if (second !== latest) {
      // Lists show offsets in whole minutes. The time is shifted to match, so that it stays the same instant.
      const offset = Math.trunc(zone.offsetAt(second) / 60) * 60;
      const iso = formatIso({ timestamp: formatTimestamp(second, offset), utcOffset: formatUtcOffset(offset) });
      [latest, clock, utcOffset] = [second, iso.slice(0, CLOCK_LENGTH), iso.slice(CLOCK_LENGTH)];
    }
    const fraction = String(millisecond - second * 1000).padStart(3, '0');
    return formatRow(`${clock}.${fraction}${utcOffset}`, method, target);
  };
}
