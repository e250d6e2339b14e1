import type { Command } from 'commander';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';

/** Adds the argument and the options of `stats`. */
export function addStatsOptions(command: Command) {
  return command
    .argument('[log...]', 'the log, or several that are read as one; left out or -, standard input')
    .option('--json', 'the same for machines: one line of JSON')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
}

/** The options as given. */
type RawStatsOptions = OptionsOf<typeof addStatsOptions>;

/** The options as meant. */
export interface StatsRunOptions {
  readonly format: 'text' | 'json';
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `stats`. @throws CallError that names the option at fault */
export function resolveStats(raw: RawStatsOptions): StatsRunOptions {
  return { format: raw.json === true ? 'json' : 'text', outputFile: resolveOutputFile(raw.output), quiet: raw.quiet === true };
}
