import { refuseUse, type CallError } from '../../errors.js';
import { FAULT_KINDS, FOREIGN_RECORDS, parseFaultRates, RATE_NAMES } from '../../faults/kinds.js';
import { requireMark } from '../../requests/target.js';
import { DEPLOYMENT, ENVELOPE, resolveWrittenSite } from './deployment.js';
import { wrapHelp } from './help-text.js';
import { firstGiven, type Given, type OptionDefinition, type Options } from './option.js';
import { FRAMING, OUTPUT, resolveRotation, rotationOptions } from './output.js';
import { FILE, freeValue, listOf, NUMBER, SEED, STDOUT } from './values.js';

const DEFAULT_FAULT_SEED = 1;

const KINDS_OF_FAULT = `A rate of --faults is the share of groups at which a fault begins. The kinds: ${FAULT_KINDS.join(', ')}; "all" stands for every kind.`;

/** The part of a help text that is about the log that is written: lines of at most 80 columns. */
export const LOG_WRITER_HELP = `${wrapHelp(KINDS_OF_FAULT)}

Rotation renames FILE to FILE.1, FILE.1 to FILE.2 and so on, between two groups.
With -o, SIGHUP reopens the file, for rotation by another program.

-o may be a socket: tcp://host:port, udp://host:port or unix:/path.`;

export const SPEED = {
  value: { ...NUMBER, placeholder: 'factor' },
  meaning: 'write in real time, <factor> times the recorded speed',
  page: 'replay.md#re-timing-and-real-time',
} satisfies OptionDefinition;

export const LOG_WRITING = {
  mark: {
    value: freeValue('name', (key, name) => requireMark(key, name)),
    meaning: 'add name=1, name=2 and so on to the queries, so that no two targets are equal',
  },
  ...OUTPUT,
  framing: FRAMING,
  ...rotationOptions(),
  tee: { value: FILE, meaning: 'append everything to a second file first, which is not rotated' },
  faults: {
    value: { placeholder: 'kind:rate,…', completes: 'list', words: RATE_NAMES, ending: ':', parse: parseFaultRates },
    meaning: 'break the log on purpose: for each kind of fault, or for "all", the share of groups (0 to 1)',
    page: 'faults.md',
  },
  faultSeed: {
    value: SEED,
    meaning: 'selects the groups that faults hit',
    otherwise: String(DEFAULT_FAULT_SEED),
    page: 'faults.md',
  },
  faultReport: { value: FILE, meaning: 'write what was broken to this file, as NDJSON', page: 'faults.md#the-report' },
  foreignFrom: {
    value: FILE,
    meaning: 'take the records of the fault "foreign" from this log',
    page: 'faults.md#records-of-other-kinds',
  },
  foreignOnly: {
    value: listOf('kinds', FOREIGN_RECORDS),
    meaning: 'draw only records of these kinds for the fault "foreign"',
    page: 'faults.md#records-of-other-kinds',
  },
  ...ENVELOPE,
  ...DEPLOYMENT,
} satisfies Options;

type LogWriterOptions = Given<typeof LOG_WRITING>;

/** Resolves what needs several options. @throws CallError for options that contradict each other, or have no effect */
export function resolveLogWriter(options: LogWriterOptions, isList = false) {
  const { output = STDOUT, tee, framing } = options;
  const site = resolveWrittenSite(options, isList);
  if (tee === STDOUT && output === STDOUT) throw refuseStdout('tee');
  return { ...site, rotation: resolveRotation(options, output), socket: { framing }, faults: resolveFaults(options) };
}

export type FaultChoice = Exclude<ReturnType<typeof resolveFaults>, undefined>;

function resolveFaults(options: LogWriterOptions) {
  const { faults: rates, faultSeed: seed = DEFAULT_FAULT_SEED, faultReport, foreignFrom, foreignOnly, output, tee } = options;
  if (rates === undefined) {
    const useless = firstGiven(options, 'faultSeed', 'faultReport', 'foreignFrom', 'foreignOnly');
    if (useless === undefined) return undefined;
    throw refuseUse(useless, 'has no effect without --faults', 'give --faults too');
  }
  if (faultReport === STDOUT && [output ?? STDOUT, tee].includes(STDOUT)) throw refuseStdout('faultReport');
  if (foreignFrom !== undefined && foreignOnly !== undefined)
    throw refuseUse('foreignOnly', 'has no effect with --foreign-from', 'give one of the two');
  if (foreignOnly !== undefined && (rates.foreign ?? 0) === 0)
    throw refuseUse('foreignOnly', 'has no effect without the fault "foreign" of --faults', 'give --faults foreign:0.01 too');
  return { rates, seed, faultReport, foreignFrom, foreignOnly };
}

function refuseStdout(key: string): CallError {
  return refuseUse(key, 'standard output is already the output', 'name a file');
}
