import type { Command } from 'commander';
import { RULE_NAMES, type Rule } from '../../check/rules.js';
import { CallError } from '../../errors.js';
import { parseAllowed, parseMax } from '../options/findings.js';
import type { Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import { addDeploymentOptions, findDeploymentFlag, resolveDeployment } from '../options/deployment.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';

/** Adds the argument and the options of `check`. */
export function addCheckOptions(command: Command) {
  const withOwn = command
    .argument('[log...]', 'the log, or several that are read as one; left out or -, standard input')
    .option(
      '--allow <rules>',
      'accept violations of these rules, separated by commas; may be repeated',
      (list: string, before: readonly string[] | undefined): readonly string[] | undefined => [...(before ?? []), list],
    )
    .option('--max <n>', 'write at most so many violations; all are counted', '100')
    .option('--infer', 'hold the log against the deployment of its own first complete group')
    .option('--json', 'write NDJSON, for machines')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(withOwn);
}

/** The options as given. */
type RawCheckOptions = OptionsOf<typeof addCheckOptions>;

/** The options as meant. */
export interface CheckRunOptions {
  /** Undefined for that of the log's own first complete group. */
  readonly deployment: Deployment | undefined;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  readonly allowed: ReadonlySet<Rule>;
  /** The largest number of violations that are written; all are counted. */
  readonly max: number;
  readonly format: 'text' | 'json';
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `check`. @throws CallError that names the option at fault */
export function resolveCheck(raw: RawCheckOptions): CheckRunOptions {
  const isInferred = raw.infer === true;
  const given = isInferred ? findDeploymentFlag(raw) : undefined;
  if (given !== undefined) throw new CallError({ source: '--infer' }, 'the deployment is that of the log', `leave out ${given}`);
  const { deployment, usedFiles } = resolveDeployment(raw);
  return {
    deployment: isInferred ? undefined : deployment,
    usedFiles,
    allowed: parseAllowed(raw.allow ?? [], RULE_NAMES, 'rule'),
    max: parseMax(raw.max),
    format: raw.json === true ? 'json' : 'text',
    outputFile: resolveOutputFile(raw.output),
    quiet: raw.quiet === true,
  };
}
