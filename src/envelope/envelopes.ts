import { CallError } from '../errors.js';
import type { Deployment, Driver } from '../log/deployment.js';
import { formatIso, formatUtcSecond, type Stamp } from '../log/timestamp.js';
import { namesOf } from '../wording.js';
import { escapeForDocker, openDocker, type Opened } from './docker.js';
import { RFC3164, RFC3339 } from './envelope-time.js';

/** Most lines have the prefix of the line before. @param pattern has groups `time` or `time3339`, `stream`, `tag` */
function opensPrefix(form: string, pattern: string): (line: string) => Opened | undefined {
  const prefixPattern = new RegExp(`^${pattern}`);
  let text = '';
  let prefix: Omit<Opened, 'inside'> | undefined;
  return (line) => {
    if (prefix === undefined || !line.startsWith(text)) {
      const match = prefixPattern.exec(line);
      if (match?.groups === undefined) return undefined;
      const { time3339, time = time3339 ?? '', stream = '', tag } = match.groups;
      [text] = match;
      // Files of syslog may hold stamps of either form.
      prefix = { form: time3339 === undefined ? form : `${form} with RFC 3339`, stream, hasMore: tag === 'P', time };
    }
    const { stream, hasMore, time } = prefix;
    return { inside: line.slice(text.length), form: prefix.form, stream, hasMore, time };
  };
}

const HOST = String.raw`(?!\[)\S*[^\s:] `;

/** The time and the host. The stamp of RFC 3164 has no host where a local socket is read. */
const STAMP = `(?:(?<time>${RFC3164}) (?:${HOST})?|(?<time3339>${RFC3339}) ${HOST})`;

const PROGRAM = String.raw`[^\s:[\]]+(?:\[\d+\])?: ?`;

const PRIORITY = String.raw`<\d{1,3}>`;

/** A value may hold `]` behind a backslash. */
const STRUCTURED = String.raw`(?:-|(?:\[(?:[^\]\\]|\\.)*\])+)`;

/** The size of Docker's and containerd's buffers: a longer record is written in pieces. */
export const PIECE_BYTES = 16_384;

/** Cuts a text into pieces. @param least the fewest bytes of the last of several */
function writePieces(text: string, least: number, write: (piece: string, isLast: boolean) => string): string {
  let written = '';
  let from = 0;
  for (; text.length - from >= PIECE_BYTES + least; from += PIECE_BYTES)
    written += write(text.slice(from, from + PIECE_BYTES), false);
  return written + write(text.slice(from), true);
}

const SOURCE = 'webmail roundcube';

/** @param fraction in milliseconds @param stamp that of the second, on the clock of the deployment */
type FormatTime = (second: number, fraction: number, stamp: Stamp) => string;

const THREE_DIGITS = Array.from({ length: 1000 }, (_, millisecond) => `.${String(millisecond).padStart(3, '0')}`);
const OFFSET_AT = 'YYYY-MM-DDTHH:MM:SS'.length;
const AS_IN_GO = THREE_DIGITS.map((fraction) => fraction.replace(/\.?0+$/, ''));

const formatInUtc: FormatTime = (second, fraction) => `${formatUtcSecond(second)}${AS_IN_GO[fraction] ?? ''}Z`;

/** The day is padded with a space. */
const formatRfc3164: FormatTime = (_second, _fraction, { timestamp }) =>
  `${timestamp.slice(3, 6)} ${timestamp.slice(0, 2).replace(/^0/, ' ')} ${timestamp.slice(12)}`;

/** An envelope: its meaning and its form, as helps and pages show them, the way to the text inside, and the way back. */
interface Envelope {
  readonly meaning: string;
  readonly form: string;
  /** The default of a deployment's driver. */
  readonly driver: Driver;
  readonly open: (line: string) => Opened | undefined;
  readonly formatTime: FormatTime;
  /** Writes a text, a byte string without an LF, as a line or in pieces; each ends in LF. */
  readonly write: (text: string, time: string, stream: string, priority: number) => string;
}

export const ENVELOPES = {
  docker: {
    meaning: "Docker's json-file log",
    form: '`{"log":"<record>\\n","stream":"stderr","time":"2025-05-18T10:00:00.123Z"}`',
    driver: 'file',
    open: openDocker,
    formatTime: formatInUtc,
    write: (text, time, stream) =>
      writePieces(text, 0, (piece, isLast) => {
        const log = escapeForDocker(piece) + (isLast ? '\\n' : '');
        return `{"log":"${log}","stream":"${stream}","time":"${time}"}\n`;
      }),
  },
  cri: {
    meaning: 'the log of a Kubernetes container (CRI)',
    form: '`2025-05-18T10:00:00.123Z stderr F <record>`',
    driver: 'file',
    open: opensPrefix('cri', `(?<time>${RFC3339}) (?<stream>stdout|stderr) (?<tag>[PF]) `),
    formatTime: formatInUtc,
    write: (text, time, stream) => writePieces(text, 1, (piece, isLast) => `${time} ${stream} ${isLast ? 'F' : 'P'} ${piece}\n`),
  },
  syslog: {
    meaning: 'syslog, as files hold it',
    form: '`May 18 12:00:00 webmail roundcube: <record>`',
    driver: 'syslog',
    open: opensPrefix('syslog', `${STAMP}${PROGRAM}`),
    formatTime: formatRfc3164,
    write: (text, time) => `${time} ${SOURCE}: ${text}\n`,
  },
  rfc3164: {
    meaning: 'syslog, as RFC 3164 sends it',
    form: '`<11>May 18 12:00:00 webmail roundcube: <record>`',
    driver: 'syslog',
    open: opensPrefix('rfc3164', `${PRIORITY}${STAMP}${PROGRAM}`),
    formatTime: formatRfc3164,
    write: (text, time, _stream, priority) => `<${String(priority)}>${time} ${SOURCE}: ${text}\n`,
  },
  rfc5424: {
    meaning: 'syslog, as RFC 5424 sends it',
    form: '`<11>1 2025-05-18T12:00:00.123+02:00 webmail roundcube - - - <record>`',
    driver: 'syslog',
    // A message in UTF-8 begins with a byte order mark.
    open: opensPrefix(
      'rfc5424',
      String.raw`(?:${PRIORITY})?1 (?<time>${RFC3339}) \S+ \S+ \S+ \S+ ${STRUCTURED} ?(?:\xef\xbb\xbf)?`,
    ),
    formatTime: (_second, fraction, stamp) => {
      const iso = formatIso(stamp);
      return iso.slice(0, OFFSET_AT) + (THREE_DIGITS[fraction] ?? '') + iso.slice(OFFSET_AT);
    },
    write: (text, time, _stream, priority) => `<${String(priority)}>1 ${time} ${SOURCE} - - - ${text}\n`,
  },
} as const satisfies Readonly<Record<string, Envelope>>;

/** The name of an envelope. */
export type EnvelopeName = keyof typeof ENVELOPES;

export function driverIn(envelope: EnvelopeName | undefined): Driver {
  return envelope === undefined ? 'file' : ENVELOPES[envelope].driver;
}

/** Refuses a deployment whose driver writes no time, unless an envelope has one. @throws CallError */
export function requireTimed({ driver }: Deployment, envelope: EnvelopeName | undefined, source = 'deployment'): void {
  if (driver === 'file' || envelope !== undefined) return;
  throw new CallError({ source }, `the driver ${driver} writes no time`, (option) => `give ${option('envelope')} too`);
}

export const ENVELOPE_CHOICES: readonly EnvelopeChoice[] = [...namesOf(ENVELOPES), 'none'];
/** An envelope, or none: lines as they are. */
export type EnvelopeChoice = EnvelopeName | 'none';

export interface EnvelopeForm {
  /** Undefined for lines with timestamps before them, which cannot be asked for. */
  readonly name?: EnvelopeName;
  readonly open: (line: string) => Opened | undefined;
}

/** The envelopes that lines are held against, in order: a CRI line is one with a timestamp, too. */
export const FORMS: readonly EnvelopeForm[] = [
  ...namesOf(ENVELOPES).map((name) => ({ name, open: takingCr(ENVELOPES[name].open) })),
  // `docker logs --timestamps`, `kubectl logs --timestamps`
  { open: takingCr(opensPrefix('timestamps', `(?<time>${RFC3339}) `)) },
];

/** Opens lines that end in CR LF too: the CR stays with the record, as in a log without an envelope. Between pieces it is dropped. */
function takingCr(open: EnvelopeForm['open']): EnvelopeForm['open'] {
  return (line) => {
    if (!line.endsWith('\r')) return open(line);
    const opened = open(line.slice(0, -1));
    return opened && { ...opened, inside: opened.inside + (opened.hasMore ? '' : '\r') };
  };
}
