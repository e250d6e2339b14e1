import { Help, Option, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';
import { FAULT_KINDS, type PerKind } from '../../faults/kinds.js';
import { parseFaultRates } from '../../faults/rates.js';
import { fileNameParser, STDOUT, type OptionsOf } from './output-file.js';
import { parseSeed } from './quantities.js';

const DEFAULT_SEED = 1;

/** The part of a help text that lists the kinds of fault: lines of at most 80 columns. */
export const FAULT_HELP = new Help().boxWrap(
  `A rate of --faults is the share of groups at which a fault begins. The kinds: ${FAULT_KINDS.join(', ')}; "all" stands for each of them.`,
  80,
);

/** Adds the options of faults. Generic, so that earlier options of the command keep their types. */
export function addFaultOptions<Arguments extends unknown[], Options extends OptionValues>(command: Command<Arguments, Options>) {
  return command
    .addOption(
      new Option(
        '--faults <kind:rate,…>',
        'break the log on purpose: the share of groups for each kind of fault, or for "all"',
      ).argParser((text) => parseFaultRates('--faults', text)),
    )
    .addOption(
      new Option('--fault-seed <integer>', `selects the groups that faults hit (default: ${String(DEFAULT_SEED)})`).argParser(
        (text) => parseSeed('--fault-seed', text),
      ),
    )
    .addOption(
      new Option('--fault-report <file>', 'write what was broken to a file, as JSON lines').argParser(
        fileNameParser('--fault-report'),
      ),
    )
    .addOption(
      new Option('--foreign-from <file>', 'take the records of the fault "foreign" from a log').argParser(
        fileNameParser('--foreign-from'),
      ),
    );
}

/** The options of faults. */
type FaultOptions = OptionsOf<typeof addFaultOptions<[], Record<never, never>>>;

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

/**
 * Resolves the faults of a run.
 *
 * @param options with those of the output: the file of `-o` and of `--tee`, if they are given
 * @returns undefined if no fault is asked for
 * @throws CallError for options that are of no use without `--faults`, and for a report that would be mixed with the output
 */
export function resolveFaults(
  options: FaultOptions & { readonly output?: string | undefined; readonly tee?: string | undefined },
): FaultChoice | undefined {
  const { faults: rates, faultSeed, faultReport, foreignFrom, output = STDOUT, tee } = options;
  if (rates === undefined) {
    const given = { '--fault-seed': faultSeed, '--fault-report': faultReport, '--foreign-from': foreignFrom };
    const [source] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (source === undefined) return undefined;
    throw new CallError({ source }, 'nothing is broken', 'give --faults with it');
  }
  if (faultReport === STDOUT && (output === STDOUT || tee === STDOUT))
    throw new CallError({ source: '--fault-report' }, 'standard output is the output already', 'name a file');
  return { rates, seed: faultSeed ?? DEFAULT_SEED, reportFile: faultReport, foreignFile: foreignFrom };
}
