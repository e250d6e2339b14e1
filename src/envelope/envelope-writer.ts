import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type GroupEnvelope } from '../log/group.js';
import { TIMESTAMP_AT, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset, stampAt, type Stamp } from '../log/timestamp.js';
import { escapeForDocker } from './docker.js';
import { LOG_NAME } from './envelope-time.js';
import { ENVELOPES, type EnvelopeName } from './envelopes.js';

/** Behind the timestamp of a record of PHP stands the name of a zone; behind that of the webmail an offset, and a colon. */
const STAMP = /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d [^\]]+\](:?) /;

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

export function rendererIn(envelope: EnvelopeName | undefined, deployment: Deployment): GroupRenderer {
  return GroupRenderer.inEnvelope(deployment, envelope && new EnvelopeWriter(envelope, deployment));
}

export class EnvelopeWriter implements GroupEnvelope {
  #second = NaN;
  #stamp: Stamp = { timestamp: '', utcOffset: '' };

  /** @param deployment its driver decides what stands inside, its zone the clock of syslog */
  constructor(
    private readonly envelope: EnvelopeName,
    private readonly deployment: Pick<Deployment, 'driver' | 'timezone'>,
  ) {}

  timeOf(millisecond: number): string {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#stamp = stampAt(second, this.deployment);
    this.#second = second;
    return ENVELOPES[this.envelope].formatTime(second, millisecond - second * 1000, this.#stamp);
  }

  escape(field: string): string {
    return this.envelope === 'docker' ? escapeForDocker(field) : field;
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
    const { driver } = this.deployment;
    const [stamp, colon] = STAMP.exec(line) ?? [];
    // Under `stdout`, PHP's own records keep their stamps.
    const isKept = stamp === undefined || driver === 'file' || (driver === 'stdout' && colon === '');
    const message = line.slice(stamp?.length ?? 0);
    const text = isKept ? line : `${driver === 'stdout' ? LOG_NAME : ''}${message}`;
    const priority = colon === '' ? PHP_PRIORITIES.find(([pattern]) => pattern.test(message))?.[1] : undefined;
    const stream = driver === 'stdout' ? 'stdout' : 'stderr';
    return ENVELOPES[this.envelope].write(text, time, stream, priority ?? WEBMAIL_PRIORITY);
  }
}

function wrapLines(text: string, wrapLine: (line: string) => string): string {
  return text.split('\n').slice(0, -1).map(wrapLine).join('');
}

/** The moment that the stamp of a load failure shows: the request's, in its second. */
function momentOf(line: string, millisecond: number): number | undefined {
  const second = parseTimestamp(line, TIMESTAMP_AT) - parseUtcOffset(line, ZONE_AT);
  if (Number.isNaN(second) || STAMP.exec(line)?.[1] !== ':') return undefined;
  return second === Math.floor(millisecond / 1000) ? millisecond : second * 1000;
}
