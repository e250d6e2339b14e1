import type { Command } from 'commander';
import { FINDING_KINDS, type FindingKind } from '../../compare/findings.js';
import { parseDuration } from '../options/durations.js';
import {
  FIELD_OPTION,
  FIELDS_OPTION,
  KIND_OPTION,
  LOSSY_OPTION,
  resolveComparison,
  type ComparisonChoice,
} from '../options/comparison.js';
import { ALLOW_HELP, collectLists, parseAllowed, parseMax } from '../options/findings.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';

/** Adds the arguments and the options of `compare`. */
export function addCompareOptions(command: Command) {
  return command
    .argument('<expected>', 'the log that was sent; -, standard input')
    .argument('[received...]', 'what was delivered; left out or -, standard input')
    .addOption(FIELD_OPTION)
    .addOption(FIELDS_OPTION)
    .addOption(KIND_OPTION)
    .addOption(LOSSY_OPTION)
    .option('--wait <duration>', 'follow the files until nothing new has come for this long')
    .option('--allow <kinds>', ALLOW_HELP, collectLists)
    .option('--max <n>', 'write at most this many findings; all records are counted', '100')
    .option('--json', 'write NDJSON, for machines')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
}

/** The options as given. */
type RawCompareOptions = OptionsOf<typeof addCompareOptions>;

/** The options as meant. */
export interface CompareRunOptions extends ComparisonChoice {
  /** The files are followed until nothing new has come for so long; undefined if they are compared as they are. */
  readonly waitMs: number | undefined;
  readonly allowed: ReadonlySet<FindingKind>;
  /** The largest number of findings that are written; all are counted. */
  readonly max: number;
  readonly format: 'text' | 'json';
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `compare`. @throws CallError that names the option at fault */
export function resolveCompare(raw: RawCompareOptions): CompareRunOptions {
  return {
    ...resolveComparison(raw),
    waitMs: raw.wait === undefined ? undefined : parseDuration('--wait', raw.wait),
    allowed: parseAllowed(raw.allow ?? [], FINDING_KINDS, 'kind'),
    max: parseMax(raw.max),
    format: raw.json === true ? 'json' : 'text',
    outputFile: resolveOutputFile(raw.output),
    quiet: raw.quiet === true,
  };
}
