import type { Deployment, Driver } from '../log/deployment.js';
import { GroupRenderer, type GroupEnvelope } from '../log/group.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import { formatIso, formatUtcSecond, parseTimestamp, parseUtcOffset, stampAt } from '../log/timestamp.js';
import { escapeForDocker } from './docker.js';
import { LOG_NAME } from './envelope-time.js';
import type { EnvelopeName } from './envelopes.js';

/** The size of Docker's and containerd's buffers: a longer record is written in pieces. */
export const PIECE_BYTES = 16_384;

/** Behind the timestamp of a record of PHP stands the name of a zone; behind that of the webmail an offset, and a colon. */
const STAMP = /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d [^\]]+\](:?) /;

const SOURCE = 'webmail roundcube';

/**
 * Facility `user`, of PHP too (`syslog.facility`). The webmail writes with the severity `err`; PHP with one for each kind of message:
 * `php_error_cb` in `main/main.c` of PHP 8 gives `php_log_err_with_severity` LOG_INFO for E_DEPRECATED.
 */
const WEBMAIL_PRIORITY = 11;
const PHP_PRIORITIES = [
  [/^\S+ Deprecated: /, 14],
  [/^\S+ Notice: {2}/, 13],
  [/^\S+ Warning: {2}/, 12],
] as const;

/** The fractions of a second by milliseconds: without trailing zeros in containers, as Go formats it; of three digits in RFC 5424. */
const THREE_DIGITS = Array.from({ length: 1000 }, (_, millisecond) => `.${String(millisecond).padStart(3, '0')}`);
const AS_IN_GO = THREE_DIGITS.map((fraction) => fraction.replace(/\.?0+$/, ''));
const FRACTIONS: Partial<Record<EnvelopeName, readonly string[]>> = { docker: AS_IN_GO, cri: AS_IN_GO, rfc5424: THREE_DIGITS };

export function rendererIn(envelope: EnvelopeName | undefined, deployment: Deployment): GroupRenderer {
  return GroupRenderer.inEnvelope(deployment, envelope && new EnvelopeWriter(envelope, deployment));
}

export class EnvelopeWriter implements GroupEnvelope {
  readonly #envelope: EnvelopeName;
  readonly #driver: Driver;
  readonly #zone: Pick<Deployment, 'timezone'>;
  #second = NaN;
  #clock: readonly [before: string, behind: string] = ['', ''];

  /** @param deployment its driver decides what stands inside, its zone the clock of syslog */
  constructor(envelope: EnvelopeName, deployment: Pick<Deployment, 'driver' | 'timezone'>) {
    this.#envelope = envelope;
    this.#driver = deployment.driver;
    this.#zone = deployment;
  }

  timeOf(millisecond: number): string {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#clock = formatClock(this.#envelope, second, this.#zone);
    }
    const [before, behind] = this.#clock;
    return before + (FRACTIONS[this.#envelope]?.[millisecond - second * 1000] ?? '') + behind;
  }

  escape(field: string): string {
    return this.#envelope === 'docker' ? escapeForDocker(field) : field;
  }

  /** @param isMixed true for lines of several requests, whose stamps show their moments */
  wrap(lines: Uint8Array, millisecond: number, isMixed: boolean): Uint8Array {
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('latin1');
    let moment = millisecond;
    const wrapped = wrapLines(text, (line) => {
      if (isMixed) moment = momentOf(line, millisecond) ?? moment;
      return this.#wrapLine(line, this.timeOf(moment));
    });
    return Buffer.from(wrapped, 'latin1');
  }

  wrapText(text: string, time: string): string {
    return wrapLines(text, (line) => this.#wrapLine(line, time));
  }

  countPieces(line: string): number {
    return this.#wrapLine(line, '').split('\n').length - 1;
  }

  #wrapLine(line: string, time: string): string {
    const driver = this.#driver;
    const [stamp, colon] = STAMP.exec(line) ?? [];
    // Under `stdout`, PHP's own records keep their stamps.
    const isKept = stamp === undefined || driver === 'file' || (driver === 'stdout' && colon === '');
    const inside = isKept ? line : `${driver === 'stdout' ? LOG_NAME : ''}${line.slice(stamp.length)}`;
    const priority = String(stamp === undefined || colon !== '' ? WEBMAIL_PRIORITY : priorityOfPhp(line.slice(stamp.length)));
    const stream = driver === 'stdout' ? 'stdout' : 'stderr';
    switch (this.#envelope) {
      case 'docker':
        return wrapPieces(inside, 0, (piece, isLast) => {
          const end = isLast ? '\\n' : '';
          return `{"log":"${escapeForDocker(piece)}${end}","stream":"${stream}","time":"${time}"}\n`;
        });
      case 'cri':
        return wrapPieces(inside, 1, (piece, isLast) => `${time} ${stream} ${isLast ? 'F' : 'P'} ${piece}\n`);
      case 'syslog':
        return `${time} ${SOURCE}: ${inside}\n`;
      case 'rfc3164':
        return `<${priority}>${time} ${SOURCE}: ${inside}\n`;
      case 'rfc5424':
        return `<${priority}>1 ${time} ${SOURCE} - - - ${inside}\n`;
    }
  }
}

/** A second as an envelope shows it, before and behind its fraction. */
function formatClock(envelope: EnvelopeName, second: number, zone: Pick<Deployment, 'timezone'>): readonly [string, string] {
  if (envelope === 'docker' || envelope === 'cri') return [formatUtcSecond(second), 'Z'];
  const stamp = stampAt(second, zone);
  if (envelope === 'rfc5424') {
    const iso = formatIso(stamp);
    const offsetAt = 'YYYY-MM-DDTHH:MM:SS'.length;
    return [iso.slice(0, offsetAt), iso.slice(offsetAt)];
  }
  const { timestamp } = stamp;
  // The day is padded with a space.
  return [`${timestamp.slice(3, 6)} ${timestamp.slice(0, 2).replace(/^0/, ' ')} ${timestamp.slice(12)}`, ''];
}

function wrapLines(text: string, wrapLine: (line: string) => string): string {
  return text.split('\n').slice(0, -1).map(wrapLine).join('');
}

/** Cuts a line into pieces. @param least the fewest bytes of the last of several */
function wrapPieces(line: string, least: number, wrapPiece: (piece: string, isLast: boolean) => string): string {
  let wrapped = '';
  let from = 0;
  for (; line.length - from >= PIECE_BYTES + least; from += PIECE_BYTES)
    wrapped += wrapPiece(line.slice(from, from + PIECE_BYTES), false);
  return wrapped + wrapPiece(line.slice(from), true);
}

/** The moment that the stamp of a load failure shows: the request's, in its second. */
function momentOf(line: string, millisecond: number): number | undefined {
  const second = parseTimestamp(line, TIMESTAMP_AT) - parseUtcOffset(line, ZONE_AT);
  if (!line.startsWith('[') || Number.isNaN(second) || line[TIMESTAMP_END] !== ' ' || line[UTC_OFFSET_END] !== ']')
    return undefined;
  return second === Math.floor(millisecond / 1000) ? millisecond : second * 1000;
}

function priorityOfPhp(message: string): number {
  return PHP_PRIORITIES.find(([pattern]) => pattern.test(message))?.[1] ?? WEBMAIL_PRIORITY;
}
