import { Help, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';
import { FAULT_KINDS, type PerKind } from '../../faults/kinds.js';
import { parseFaultRates } from '../../faults/rates.js';
import type { Rotation } from '../../output/rotation.js';
import { requireMark } from '../../requests/mark.js';
import { addDeploymentOptions, resolveDeployment, type Site } from './deployment.js';
import { optionOf, type OptionsOf } from './option.js';
import { OUTPUT_OPTION, parseFileName, QUIET_OPTION, STDOUT } from './output-file.js';
import { parsePositive, parseSeed } from './quantities.js';
import { addRotationOptions, resolveRotation } from './rotation.js';

const DEFAULT_FAULT_SEED = 1;

const KINDS_OF_FAULT = `A rate of --faults is the share of groups at which a fault begins. The kinds: ${FAULT_KINDS.join(', ')}; "all" stands for every kind.`;

/** The part of a help text that is about the log that is written: lines of at most 80 columns. */
export const LOG_WRITER_HELP = `${new Help().boxWrap(KINDS_OF_FAULT, 80)}

Rotation renames FILE to FILE.1, FILE.1 to FILE.2 and so on, between two groups.
With -o, SIGHUP reopens the file, for rotation by another program.`;

/** The factor by which requests are written faster than recorded. */
export const SPEED_OPTION = optionOf('--speed <factor>', 'write in real time, <factor> times the recorded speed', parsePositive);

/** Adds the options of every command that writes requests as a log. Generic, so that earlier options of the command keep their types. */
export function addLogWriterOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  const markHelp = 'add name=1, name=2 and so on to the queries, so that no two targets are equal';
  const faultsHelp = 'break the log on purpose: for each kind of fault, or for "all", the share of groups (0 to 1)';
  const seedHelp = `selects the groups that faults hit (default: ${String(DEFAULT_FAULT_SEED)})`;
  const withOutput = command.addOption(optionOf('--mark <name>', markHelp, parseMark)).addOption(OUTPUT_OPTION);
  const withFaults = addRotationOptions(withOutput.addOption(QUIET_OPTION))
    .addOption(optionOf('--tee <file>', 'append everything to a second file first, which is not rotated', parseFileName))
    .addOption(optionOf('--faults <kind:rate,…>', faultsHelp, parseFaultRates))
    .addOption(optionOf('--fault-seed <integer>', seedHelp, parseSeed))
    .addOption(optionOf('--fault-report <file>', 'write what was broken to this file, as NDJSON', parseFileName))
    .addOption(optionOf('--foreign-from <file>', 'take the records of the fault "foreign" from this log', parseFileName));
  return addDeploymentOptions(withFaults);
}

/** The options of a command that writes requests as a log. */
type LogWriterOptions = OptionsOf<typeof addLogWriterOptions<[], Record<never, never>>>;

/** The faults of a run. */
export interface FaultChoice {
  /** For each kind, the share of groups at which a fault begins. */
  readonly rates: PerKind;
  readonly seed: number;
  /** The file to write the report to, or `STDOUT`; undefined for no report. */
  readonly reportFile: string | undefined;
  /** The log with the records of `foreign`, or `-` for standard input; undefined for records of the real software. */
  readonly foreignFile: string | undefined;
}

/** The log of a run: its deployment, its file, and what is broken in it. */
export interface WrittenLog extends Site {
  readonly rotation?: Rotation | undefined;
  /** Undefined for none. */
  readonly faults: FaultChoice | undefined;
}

/** Resolves what needs several options. @throws CallError for options that contradict each other, or have no effect */
export function resolveLogWriter(options: LogWriterOptions): WrittenLog {
  const { output = STDOUT, tee } = options;
  const site = resolveDeployment(options);
  if (tee === STDOUT && output === STDOUT) throw refuseStdout('--tee');
  return { ...site, rotation: resolveRotation(options, output), faults: resolveFaults(options) };
}

function resolveFaults(options: LogWriterOptions): FaultChoice | undefined {
  const { faults: rates, faultSeed: seed = DEFAULT_FAULT_SEED, faultReport, foreignFrom, output = STDOUT, tee } = options;
  if (rates === undefined) {
    const given = { '--fault-seed': options.faultSeed, '--fault-report': faultReport, '--foreign-from': foreignFrom };
    const [source] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (source === undefined) return undefined;
    throw new CallError({ source }, 'has no effect without --faults', 'give --faults too');
  }
  if (faultReport === STDOUT && (output === STDOUT || tee === STDOUT)) throw refuseStdout('--fault-report');
  return { rates, seed, reportFile: faultReport, foreignFile: foreignFrom };
}

function refuseStdout(source: string): CallError {
  return new CallError({ source }, 'standard output is already the output', 'name a file');
}

/** Reads the name of a query parameter. @throws CallError */
export function parseMark(flag: string, text: string): string {
  requireMark(flag, text);
  return text;
}
