import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import type { Deployment, Driver } from '../log/deployment.js';
import { formatIso, parseTimestamp, parseUtcOffset, stampAt } from '../log/timestamp.js';
import { escapeForDocker } from './docker.js';
import type { EnvelopeName } from './envelopes.js';
import { LOG_NAME } from './stampless.js';

/** The size of Docker's and containerd's buffers: a longer record is written in pieces. */
export const PIECE_BYTES = 16_384;

/** Behind the timestamp of a record of PHP stands the name of a zone; behind that of the webmail an offset, and a colon. */
const STAMP = /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d [^\]]+\](:?) /;

/** The host and the program in syslog. */
const SOURCE = 'webmail roundcube';

/** Facility `user`. The webmail writes with the severity `err`; PHP 8.4 with one for each kind of message (`main.c`, `php_error_cb`). */
const WEBMAIL_PRIORITY = 11;
const PHP_PRIORITIES = [
  [/^\S+ Deprecated: /, 14],
  [/^\S+ Notice: {2}/, 13],
  [/^\S+ Warning: {2}/, 12],
] as const;

/** Puts an envelope around records. */
export class EnvelopeWriter {
  readonly #envelope: EnvelopeName;
  readonly #driver: Driver;
  readonly #clock: ClockText;
  #buffer = Buffer.alloc(1 << 16);

  /** @param deployment its driver decides what stands inside, its zone the clock of syslog */
  constructor(envelope: EnvelopeName, deployment: Pick<Deployment, 'driver' | 'timezone'>) {
    this.#envelope = envelope;
    this.#driver = deployment.driver;
    this.#clock = new ClockText(envelope, deployment);
  }

  /** The time of a moment, as the envelope shows it. */
  timeOf(millisecond: number): string {
    return this.#clock.textOf(millisecond);
  }

  /**
   * Puts each line of whole lines in the envelope. The result is valid until the next call.
   *
   * @param millisecond the moment of the request that the lines belong to
   * @param isMixed true for lines of several requests: the moment of each is then that of its own stamp
   */
  wrap(lines: Uint8Array, millisecond: number, isMixed: boolean): Uint8Array {
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('latin1');
    const wrapped = isMixed ? this.#wrapMixed(text, millisecond) : this.wrapText(text, this.timeOf(millisecond));
    if (wrapped.length > this.#buffer.length) this.#buffer = Buffer.alloc(2 * wrapped.length);
    return this.#buffer.subarray(0, this.#buffer.write(wrapped, 'latin1'));
  }

  /** Puts each line of a text, a byte string that ends in LF, in the envelope with a time. */
  wrapText(text: string, time: string): string {
    return linesOf(text)
      .map((line) => this.#wrapLine(line, time))
      .join('');
  }

  #wrapMixed(text: string, millisecond: number): string {
    let moment = millisecond;
    return linesOf(text)
      .map((line) => {
        moment = momentOf(line, millisecond) ?? moment;
        return this.#wrapLine(line, this.timeOf(moment));
      })
      .join('');
  }

  #wrapLine(line: string, time: string): string {
    const inside = this.#driver === 'file' ? line : withoutStamp(line, this.#driver);
    switch (this.#envelope) {
      case 'docker':
        return cutPieces(inside, 0)
          .map((piece, index, { length }) => {
            const end = index === length - 1 ? '\\n' : '';
            return `{"log":"${escapeForDocker(piece)}${end}","stream":"${this.#stream}","time":"${time}"}\n`;
          })
          .join('');
      case 'cri':
        return cutPieces(inside, 1)
          .map((piece, index, { length }) => `${time} ${this.#stream} ${index === length - 1 ? 'F' : 'P'} ${piece}\n`)
          .join('');
      case 'syslog':
        return `${time} ${SOURCE}: ${inside}\n`;
      case 'rfc3164':
        return `<${String(priorityOf(line))}>${time} ${SOURCE}: ${inside}\n`;
      case 'rfc5424':
        return `<${String(priorityOf(line))}>1 ${time} ${SOURCE} - - - ${inside}\n`;
    }
  }

  get #stream(): 'stdout' | 'stderr' {
    return this.#driver === 'stdout' ? 'stdout' : 'stderr';
  }
}

/** The lines of a text that ends in LF. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

/** Cuts a line into pieces; there is at least one. @param least the fewest bytes of the last of several */
function cutPieces(line: string, least: number): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (; line.length - from >= PIECE_BYTES + least; from += PIECE_BYTES) pieces.push(line.slice(from, from + PIECE_BYTES));
  return [...pieces, line.slice(from)];
}

/** The moment that the stamp of a load failure shows: the request's, in its second. Undefined for any other line. */
function momentOf(line: string, millisecond: number): number | undefined {
  const second = parseTimestamp(line, TIMESTAMP_AT) - parseUtcOffset(line, ZONE_AT);
  if (!line.startsWith('[') || Number.isNaN(second) || line[TIMESTAMP_END] !== ' ' || line[UTC_OFFSET_END] !== ']')
    return undefined;
  return second === Math.floor(millisecond / 1000) ? millisecond : second * 1000;
}

/** A record as a driver without stamps writes it; anything else is unchanged. Under `stdout`, PHP's own records keep their stamps. */
function withoutStamp(line: string, driver: Driver): string {
  const [stamp, colon] = STAMP.exec(line) ?? [];
  if (stamp === undefined || (driver === 'stdout' && colon === '')) return line;
  return (driver === 'stdout' ? LOG_NAME : '') + line.slice(stamp.length);
}

function priorityOf(line: string): number {
  const [stamp, colon] = STAMP.exec(line) ?? [];
  if (stamp === undefined || colon !== '') return WEBMAIL_PRIORITY;
  const message = line.slice(stamp.length);
  return PHP_PRIORITIES.find(([pattern]) => pattern.test(message))?.[1] ?? WEBMAIL_PRIORITY;
}

/** The fractions of a second by milliseconds. */
const FRACTIONS = Array.from({ length: 1000 }, (_, millisecond) => `.${String(millisecond).padStart(3, '0')}`);
const SHORT_FRACTIONS = FRACTIONS.map((fraction) => fraction.replace(/\.?0+$/, ''));

/** Formats moments as an envelope shows them. The last second is kept. */
class ClockText {
  readonly #envelope: EnvelopeName;
  readonly #zone: Pick<Deployment, 'timezone'>;
  #second = NaN;
  #before = '';
  #behind = '';

  constructor(envelope: EnvelopeName, zone: Pick<Deployment, 'timezone'>) {
    this.#envelope = envelope;
    this.#zone = zone;
  }

  textOf(millisecond: number): string {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#moveTo(second);
    return this.#before + this.#fractionOf(millisecond - second * 1000) + this.#behind;
  }

  #moveTo(second: number): void {
    this.#second = second;
    if (this.#envelope === 'docker' || this.#envelope === 'cri') {
      this.#before = new Date(second * 1000).toISOString().slice(0, -'.000Z'.length);
      this.#behind = 'Z';
      return;
    }
    const stamp = stampAt(second, this.#zone);
    if (this.#envelope === 'rfc5424') {
      const iso = formatIso(stamp);
      const offsetAt = 'YYYY-MM-DDTHH:MM:SS'.length;
      this.#before = iso.slice(0, offsetAt);
      this.#behind = iso.slice(offsetAt);
    } else {
      // The day is padded with a space.
      const [day, month, time] = [stamp.timestamp.slice(0, 2), stamp.timestamp.slice(3, 6), stamp.timestamp.slice(12)];
      this.#before = `${month} ${day.replace(/^0/, ' ')} ${time}`;
    }
  }

  /** The fraction of a second: without trailing zeros in containers, as Go formats it; of three digits in RFC 5424. */
  #fractionOf(millisecond: number): string {
    if (this.#envelope === 'syslog' || this.#envelope === 'rfc3164') return '';
    return (this.#envelope === 'rfc5424' ? FRACTIONS : SHORT_FRACTIONS)[millisecond] ?? '';
  }
}
