import type { Command } from 'commander';
import { CallError } from '../../errors.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile, STDOUT } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';

/** Adds the argument and the options of `stats`. */
export function addStatsOptions(command: Command) {
  return command
    .argument('[log...]', 'the log, or several that are read as one; left out or -, standard input')
    .option('--json', 'the same for machines: one line of JSON')
    .option('--html <file>', 'write a page for a browser to a file; -, to stdout instead of the report')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
}

/** The options as given. */
type RawStatsOptions = OptionsOf<typeof addStatsOptions>;

/** The options as meant. */
export interface StatsRunOptions {
  /** The form of what goes to the output: the report, or the page in its place. */
  readonly format: 'text' | 'json' | 'html';
  /** The file that the page is written to, beside the report; undefined for none. */
  readonly pageFile: string | undefined;
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `stats`. @throws CallError that names the option at fault */
export function resolveStats(raw: RawStatsOptions): StatsRunOptions {
  const { html, json, output } = raw;
  // A shell variable that is not set leaves the name empty.
  if (html === '') throw new CallError({ source: '--html' }, 'it is empty', 'name a file, or leave it out');
  if (html === STDOUT && (json === true || output !== undefined)) {
    const given = json === true ? '--json' : '--output';
    throw new CallError({ source: '--html' }, 'the page takes the place of the report', `name a file, or leave out ${given}`);
  }
  return {
    format: html === STDOUT ? 'html' : json === true ? 'json' : 'text',
    pageFile: html === STDOUT ? undefined : html,
    outputFile: resolveOutputFile(output),
    quiet: raw.quiet === true,
  };
}
