import { Option, type Command } from 'commander';
import { CANARY_FINDINGS, CANARY_KINDS, DEFAULT_LATE_MS } from '../../canary/findings.js';
import { newRunName, requireRunName } from '../../canary/mark.js';
import { CallError } from '../../errors.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { FIELD_OPTION, FIELDS_OPTION, KIND_OPTION, LOSSY_OPTION, resolveComparison } from '../options/comparison.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { allowOption, formatKinds, maxOption } from '../options/findings.js';
import { parseAddress } from '../options/listening.js';
import { optionOf, type OptionsOf } from '../options/option.js';
import { OUTPUT_OPTION, QUIET_OPTION } from '../options/output-file.js';
import { parseDuration, parsePositive } from '../options/quantities.js';
import { addRotationOptions, resolveRotation } from '../options/rotation.js';
import type { CanaryRunOptions } from './run.js';

const HELP = `
Files are followed as tail -F does. Each target that is written carries the mark
canary=<run>-<n>. Deprecation records, which have no target, are judged by their
text. Any other record without that mark is counted as one of the "others".

The report has a line for each finding, SOURCE:LINE: kind: …, and a summary as
its last line. The kinds:
${formatKinds(CANARY_FINDINGS)}

The traffic ends after --duration, or at SIGINT or SIGTERM. The run then waits
for outstanding records, at most --late. It also ends when standard input ends.
A second signal ends it at once. SIGHUP reopens <log>, for rotation by another
program.

Examples:
  webmail-diaglog canary app.log received.log
  webmail-diaglog canary app.log out.ndjson --field message --rate 5
  webmail-diaglog canary app.log out.ndjson --field message --metrics 9464
  kubectl logs -f collector | webmail-diaglog canary app.log - --late 1m
  webmail-diaglog canary app.log out.log --duration 10m --json | tail -n 1

Exit codes: 0 everything arrived unchanged, once, in order and in time,
1 something was found that is not allowed, or nothing was written, 2 the call or
the environment is at fault, 128 + n ended by a second signal n.`;

/** Adds the command `canary`. */
export function addCanaryCommand(program: Command): void {
  addCanaryOptions(program.command('canary'))
    .summary('writes live traffic, and reports what does not arrive')
    .description('Writes live traffic to a log, follows what a pipeline delivers, and reports losses as they happen.')
    .addHelpText('after', HELP)
    .action(async (log, received, options) => {
      const { runCanary } = await import('./run.js');
      await runCanary(log, received, resolveCanary(log, options));
    });
}

/** Adds the arguments and the options of `canary`. */
export function addCanaryOptions(command: Command) {
  const withOwn = command
    .argument('<log>', 'the log to append to')
    .argument('<received...>', 'what the pipeline delivers; - for standard input')
    .addOption(optionOf('--rate <number>', 'average requests per second', parsePositive).default(1))
    .addOption(
      optionOf('--duration <time>', 'how long the run lasts: 90s, 15m, 1h, 7d (default: until it is ended)', parseDuration),
    )
    .addOption(
      optionOf('--late <time>', 'how long a record may be outstanding before it is missing (default: 30s)', parseDuration),
    )
    .addOption(optionOf('--run <name>', 'name of this run in its marks (default: a new one)', parseRunName))
    .addOption(FIELD_OPTION)
    .addOption(FIELDS_OPTION)
    .addOption(KIND_OPTION)
    .addOption(LOSSY_OPTION)
    .addOption(allowOption('--allow <findings>', 'findings of these kinds', CANARY_KINDS, 'kind'))
    .addOption(maxOption('findings a minute; all records are counted'))
    .option('--json', 'write NDJSON, for machines')
    .addOption(
      optionOf('--metrics <address>', 'answer GET /metrics for Prometheus at [host:]port; port 0 picks a free one', parseAddress),
    )
    .addOption(new Option('--profile <profile>', 'how traffic spreads over day and week').choices(PROFILES).default('flat'))
    .addOption(new Option('--arrivals <kind>', 'how requests follow one another').choices(ARRIVALS).default('poisson'))
    .option('--targets <file>', 'the targets to draw from, with weights')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(addRotationOptions(withOwn, '<log>'));
}

/** Resolves what needs several options. @throws CallError that names the option at fault */
function resolveCanary(log: string, { field, fields, ...options }: OptionsOf<typeof addCanaryOptions>): CanaryRunOptions {
  const comparison = resolveComparison(field, fields);
  if (comparison.as === 'fields' && !comparison.fields.has('request_target')) {
    throw new CallError({ source: '--fields' }, 'the target, which carries the mark, is not named', 'add request_target=path');
  }
  const logRotation = resolveRotation(options, log);
  const { late = DEFAULT_LATE_MS, run = newRunName() } = options;
  return { ...options, ...resolveDeployment(options), comparison, logRotation, late, run };
}

function parseRunName(flag: string, name: string): string {
  requireRunName(flag, name);
  return name;
}
