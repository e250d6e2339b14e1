import type { Command } from 'commander';
import type { Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { addListeningOptions, resolveListening } from '../options/listening.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';
import { resolvePrefixes } from '../options/prefixes.js';

/** Adds the options of `serve`. */
export function addServeOptions(command: Command) {
  const withOwn = addListeningOptions(command)
    .option('--prefixes <a,b,c>', 'the paths under which the webmail is mounted', 'mail,poczta,webmail')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(withOwn);
}

/** The options as given. */
type RawServeOptions = OptionsOf<typeof addServeOptions>;

/** The options as meant. */
export interface ServeRunOptions {
  readonly host: string;
  /** 0 for any port that is free. */
  readonly port: number;
  readonly prefixes: readonly string[];
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `serve`. @throws CallError that names the option at fault */
export function resolveServe(raw: RawServeOptions): ServeRunOptions {
  const listening = resolveListening(raw);
  const prefixes = resolvePrefixes(raw.prefixes);
  return {
    ...listening,
    prefixes,
    ...resolveDeployment(raw),
    outputFile: resolveOutputFile(raw.output),
    quiet: raw.quiet === true,
  };
}
