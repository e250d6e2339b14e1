import { Help, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';
import { FAULT_KINDS, type PerKind } from '../../faults/kinds.js';
import { parseFaultRates } from '../../faults/rates.js';
import type { OptionsOf } from './options-of.js';
import { STDOUT } from './output-file.js';
import type { RotationChoice } from './rotation.js';
import { parseSeed } from './seeds.js';

const DEFAULT_SEED = '1';

/** The part of a help text that lists the kinds of fault: lines of at most 80 columns. */
export const FAULT_HELP = new Help().boxWrap(
  `A rate of --faults is the share of groups at which a fault begins. The kinds: ${FAULT_KINDS.join(', ')}; "all" stands for each of them.`,
  80,
);

/** Adds the options of faults. Generic, so that earlier options of the command keep their types. */
export function addFaultOptions<Arguments extends unknown[], Options extends OptionValues>(command: Command<Arguments, Options>) {
  return command
    .option('--faults <kind:rate,…>', 'break the log on purpose: the share of groups for each kind of fault, or for "all"')
    .option('--fault-seed <integer>', `selects the groups that faults hit (default: ${DEFAULT_SEED})`)
    .option('--fault-report <file>', 'write what was broken to a file, as JSON lines')
    .option('--foreign-from <file>', 'take the records of the fault "foreign" from a log');
}

type None = Record<never, never>;

/** The options as given. */
type RawFaultOptions = OptionsOf<typeof addFaultOptions<[], None>>;

/** The faults of a run, as meant. */
export interface FaultChoice {
  /** For each kind, the share of groups at which a fault begins. */
  readonly rates: PerKind;
  readonly seed: number;
  /** The file to write the report to, or `STDOUT`; undefined for no report. */
  readonly reportFile: string | undefined;
  /** The log with the records of `foreign`, or `-` for standard input; undefined for records of the real software. */
  readonly foreignFile: string | undefined;
}

/**
 * Resolves the options of faults.
 *
 * @param outputFile the file of `-o`, or `STDOUT`
 * @param copyFile the file of `--tee`, or `STDOUT`
 * @returns undefined if no fault is asked for
 * @throws CallError
 */
export function resolveFaults(
  raw: RawFaultOptions,
  outputFile: string,
  { copyFile }: Pick<RotationChoice, 'copyFile'>,
): FaultChoice | undefined {
  const { faults, faultSeed, faultReport, foreignFrom } = raw;
  if (faults === undefined) {
    const given = { '--fault-seed': faultSeed, '--fault-report': faultReport, '--foreign-from': foreignFrom };
    const [source] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (source === undefined) return undefined;
    throw new CallError({ source }, 'nothing is broken', 'give --faults with it');
  }
  for (const [source, file] of [
    ['--fault-report', faultReport],
    ['--foreign-from', foreignFrom],
  ] as const) {
    // A shell variable that is not set leaves the name empty.
    if (file === '') throw new CallError({ source }, 'it is empty', 'name a file, or leave it out');
  }
  if (faultReport === STDOUT && (outputFile === STDOUT || copyFile === STDOUT))
    throw new CallError({ source: '--fault-report' }, 'standard output is the output already', 'name a file');
  return {
    rates: parseFaultRates('--faults', faults),
    seed: parseSeed('--fault-seed', faultSeed ?? DEFAULT_SEED),
    reportFile: faultReport,
    foreignFile: foreignFrom,
  };
}
