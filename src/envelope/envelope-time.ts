import type { Driver } from '../log/deployment.js';
import { HANDLER_NOTICE } from '../log/fields.js';
import { formatTimestamp, formatUtcOffset, localSecondOf, parseMonth, twoDigits } from '../log/timestamp.js';
import { isZoneName, zoneNamed } from '../log/zone.js';

export interface EnvelopeMoment {
  readonly second: number;
  /** In seconds east of UTC. */
  readonly offset: number;
  /** The zone of the machine, for a time that shows none and where none was given. */
  readonly assumedZone?: string | undefined;
}

/** The clock by which stamps without a year or a zone are read. */
export interface Clock {
  /** The IANA name of the zone; undefined for that of the machine. */
  readonly zone?: string | undefined;
  readonly now?: () => number;
}

/** `2025-05-18T12:00:00.123+02:00`, with 0 to 9 digits of a second; journalctl has written offsets as `+0200`. */
export const RFC3339 = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`;

const OFFSET = /([+-])(\d\d):?(\d\d)$/;

/** The stamp of RFC 3164: `May 18 12:00:00`; the day is padded with a space. */
export const RFC3164 = String.raw`[A-Z][a-z]{2} [ 0-3]\d \d\d:\d\d:\d\d`;

const DAY = 86_400;

const MAX_DISORDER_SECONDS = 60;

/** A year and the leap year before it are at most this far apart, and the next year may have begun. */
const MAX_YEARS_BACK = 8;

/** Reads the stamps of envelopes. The last one is kept: most lines have the second of the line before. */
export class EnvelopeTime {
  #second = -Infinity;
  #last: { readonly text: string; readonly moment: EnvelopeMoment | undefined } = { text: '', moment: undefined };

  constructor(private readonly clock: Clock = {}) {}

  /** Undefined for a time that does not exist. */
  momentOf(text: string): EnvelopeMoment | undefined {
    if (text !== this.#last.text) this.#last = { text, moment: parseRfc3339(text) ?? this.#parseWithoutYear(text) };
    return this.#last.moment;
  }

  /** The latest time at most a day ahead; in the repeated hour of autumn the first one, unless that steps back behind the line before. */
  #parseWithoutYear(text: string): EnvelopeMoment | undefined {
    const { zone: given, now = Date.now } = this.clock;
    const assumedZone = given === undefined ? zoneOfMachine() : undefined;
    const zone = zoneNamed(given ?? zoneOfMachine());
    const latest = now() / 1000 + DAY;
    const year = new Date(latest * 1000).getUTCFullYear() + 1;
    const month = parseMonth(text.slice(0, 3));
    const day = Number(text.slice(4, 6));
    for (let back = 0; back <= MAX_YEARS_BACK; back += 1) {
      const local = localSecondOf(year - back, month, day, twoDigits(text, 7), twoDigits(text, 10), twoDigits(text, 13));
      const instants = zone.instantsOf(local);
      const inOrder = instants.find((instant) => instant >= this.#second - MAX_DISORDER_SECONDS) ?? instants.at(-1);
      // A time in the gap of spring is read as if clocks had not been changed yet.
      const second = inOrder ?? local - zone.offsetAt(local - DAY);
      if (!(second <= latest)) continue;
      this.#second = second;
      return { second, offset: zone.offsetAt(second), assumedZone };
    }
    return undefined;
  }
}

/** Undefined for a time without a year, and for one that does not exist. @param text in one of the two forms above */
export function parseRfc3339(text: string): EnvelopeMoment | undefined {
  const [month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN] = [5, 8, 11, 14, 17].map((at) => twoDigits(text, at));
  const local = localSecondOf(Number(text.slice(0, 4)), month, day, hour, minute, second);
  const [, sign, hours = 0, minutes = 0] = OFFSET.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60;
  const offset = sign === '-' ? -size : size;
  return Number.isNaN(local) ? undefined : { second: local - offset, offset };
}

/** The text that the driver `stdout` writes before a record of the webmail, in place of its stamp: the name of the log. */
export const LOG_NAME = 'errors: ';

/** The beginning of a message of the webmail or of PHP without a stamp: `<session id> TAG Error: `, `PHP Warning:  `. */
const MESSAGE = /^(?:<[0-9A-Za-z,-]+> )?[^\s[\]<>:]+ (?:(?:[A-Z][a-z]+ )?[Ee]rror|Warning|Notice|Deprecated):(?: ?) /;

/**
 * Gives a record of a driver without stamps the one that the file driver writes: `[18-May-2025 12:00:00 +0200]: ` for one of the webmail,
 * `[18-May-2025 10:00:00 UTC] ` for one of PHP. Undefined for any other text: a record with a stamp, the line of a stack trace.
 */
export function stampRecord(
  text: string,
  { second, offset }: EnvelopeMoment,
): { readonly text: string; readonly driver: Driver } | undefined {
  const isOfStdout = text.startsWith(LOG_NAME);
  const [beginning] = isOfStdout ? [''] : (MESSAGE.exec(text) ?? []);
  if (beginning === undefined) return undefined;
  // PHP puts two spaces after the severity; in the dialect of the specification it puts one.
  if (beginning.endsWith('  ') || text.startsWith(HANDLER_NOTICE, beginning.length))
    return { text: `[${formatTimestamp(second, 0)} UTC] ${text}`, driver: 'syslog' };
  const stamp = `[${formatTimestamp(second, offset)} ${formatUtcOffset(offset)}]: `;
  return isOfStdout ? { text: stamp + text.slice(LOG_NAME.length), driver: 'stdout' } : { text: stamp + text, driver: 'syslog' };
}

let machineZone: string | undefined;

/** Found once: to ask for it takes much memory. A variable `TZ` that is empty, or a path, names no zone. */
function zoneOfMachine(): string {
  machineZone ??= [Intl.DateTimeFormat().resolvedOptions().timeZone].find(isZoneName) ?? 'UTC';
  return machineZone;
}
