import { CallError } from '../errors.js';
import type { Deployment, Driver } from '../log/deployment.js';
import { namesOf } from '../wording.js';
import { openDocker } from './docker.js';
import { openCri, openRfc3164, openRfc5424, openSyslog, openTimestamped, type Opened } from './prefixes.js';

/** An envelope: its meaning, as helps and pages show it, and the way to the text inside. */
interface Envelope {
  readonly meaning: string;
  /** A record in it, as pages show it. */
  readonly form: string;
  readonly open: (line: string) => Opened | undefined;
}

/** The envelopes that containers and syslog put around a record. */
export const ENVELOPES = {
  docker: {
    meaning: "Docker's json-file log",
    form: '`{"log":"<record>\\n","stream":"stderr","time":"2025-05-18T10:00:00.123Z"}`',
    open: openDocker,
  },
  cri: {
    meaning: 'the log of a Kubernetes container (CRI)',
    form: '`2025-05-18T10:00:00.123Z stderr F <record>`',
    open: openCri,
  },
  syslog: { meaning: 'syslog, as files hold it', form: '`May 18 12:00:00 webmail roundcube: <record>`', open: openSyslog },
  rfc3164: {
    meaning: 'syslog, as RFC 3164 sends it',
    form: '`<11>May 18 12:00:00 webmail roundcube: <record>`',
    open: openRfc3164,
  },
  rfc5424: {
    meaning: 'syslog, as RFC 5424 sends it',
    form: '`<11>1 2025-05-18T12:00:00.123+02:00 webmail roundcube - - - <record>`',
    open: openRfc5424,
  },
} as const satisfies Readonly<Record<string, Envelope>>;

/** The name of an envelope. */
export type EnvelopeName = keyof typeof ENVELOPES;

/** The envelopes of syslog: in them the driver is `syslog` unless the deployment says otherwise. */
const SYSLOG: ReadonlySet<EnvelopeName> = new Set<EnvelopeName>(['syslog', 'rfc3164', 'rfc5424']);

/** The default of a deployment's driver, by the envelope that its log is written in. */
export function driverIn(envelope: EnvelopeName | undefined): Driver {
  return envelope !== undefined && SYSLOG.has(envelope) ? 'syslog' : 'file';
}

/** Refuses a deployment whose driver writes no time, unless an envelope has one. @throws CallError */
export function requireTimed({ driver }: Deployment, envelope: EnvelopeName | undefined, source = 'deployment'): void {
  if (driver === 'file' || envelope !== undefined) return;
  throw new CallError({ source }, `the driver ${driver} writes no time`, (option) => `give ${option('envelope')} too`);
}

/** The values of `--envelope`. */
export const ENVELOPE_CHOICES: readonly EnvelopeChoice[] = [...namesOf(ENVELOPES), 'none'];
/** An envelope, or none: lines as they are. */
export type EnvelopeChoice = EnvelopeName | 'none';

/** An envelope that is read: one that can be asked for, or lines with timestamps before them. */
export interface EnvelopeForm {
  /** The envelopes that can be asked for, and this one is. */
  readonly names: readonly EnvelopeName[];
  readonly open: (line: string) => Opened | undefined;
}

/** The envelopes that lines are held against, in order: a CRI line is one with a timestamp, too. */
export const FORMS: readonly EnvelopeForm[] = [
  ...namesOf(ENVELOPES).map((name) => ({ names: [name], open: takingCr(ENVELOPES[name].open) })),
  { names: [], open: takingCr(openTimestamped) },
];

/** Opens lines that end in CR LF too: the CR stays with the record, as in a log without an envelope. Between pieces it is dropped. */
function takingCr(open: EnvelopeForm['open']): EnvelopeForm['open'] {
  return (line) => {
    if (!line.endsWith('\r')) return open(line);
    const opened = open(line.slice(0, -1));
    return opened && { ...opened, inside: opened.inside + (opened.hasMore ? '' : '\r') };
  };
}
