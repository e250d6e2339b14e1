import { Option, type Command } from 'commander';
import { newRunName, requireRunName } from '../../canary/mark.js';
import { CANARY_KINDS, type CanaryKind } from '../../canary/findings.js';
import { CallError, refuseOption } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import type { Rotation } from '../../output/rotation.js';
import { ARRIVALS, type Arrivals } from '../../requests/synth/arrivals.js';
import { PROFILES, type Profile } from '../../requests/synth/traffic.js';
import {
  FIELD_OPTION,
  FIELDS_OPTION,
  KIND_OPTION,
  LOSSY_OPTION,
  resolveComparison,
  type ComparisonChoice,
} from '../options/comparison.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { parseDuration } from '../options/durations.js';
import { ALLOW_HELP, collectLists, parseAllowed, parseMax } from '../options/findings.js';
import { findWholeNumber, parsePositive } from '../options/numbers.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';
import { addRotationAlone, resolveRotationAlone } from '../options/rotation.js';

/** Adds the arguments and the options of `canary`. */
export function addCanaryOptions(command: Command) {
  const withOwn = command
    .argument('<log>', 'the log to append to')
    .argument('<received...>', 'where it arrives; - is standard input')
    .option('--rate <number>', 'average requests per second', '1')
    .option('--duration <time>', 'how long it lasts: 90s, 15m, 1h, 7d (default: until it is ended)')
    .option('--late <time>', 'a record that has not come by then is missing', '30s')
    .option('--run <name>', 'name of this run in its marks (default: a new one)')
    .addOption(FIELD_OPTION)
    .addOption(FIELDS_OPTION)
    .addOption(KIND_OPTION)
    .addOption(LOSSY_OPTION)
    .option('--allow <findings>', ALLOW_HELP, collectLists)
    .option('--max <n>', 'write at most this many findings a minute; all are counted', '100')
    .option('--json', 'write NDJSON, for machines')
    .option('--metrics <address>', 'answer GET /metrics for Prometheus at [host:]port; port 0 picks a free one')
    .addOption(new Option('--profile <profile>', 'how traffic spreads over day and week').choices(PROFILES).default('flat'))
    .addOption(new Option('--arrivals <kind>', 'how requests follow one another').choices(ARRIVALS).default('poisson'))
    .option('--targets <file>', 'the targets to draw from, with weights')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(addRotationAlone(withOwn, '<log>'));
}

/** The options as given. */
type RawCanaryOptions = OptionsOf<typeof addCanaryOptions>;

/** The options as meant. */
export interface CanaryRunOptions extends ComparisonChoice {
  /** Requests a second. */
  readonly rate: number;
  /** Undefined for traffic without an end. */
  readonly durationMs: number | undefined;
  readonly lateMs: number;
  /** The name of this run. */
  readonly run: string;
  readonly allowed: ReadonlySet<CanaryKind>;
  /** Findings that are written in a minute at most; all are counted. */
  readonly max: number;
  readonly format: 'text' | 'json';
  /** The address of the metrics; undefined for none. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly profile: Profile;
  readonly arrivals: Arrivals;
  /** The list of targets to draw from; undefined for those that the specification names. */
  readonly targetsFile: string | undefined;
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  /** The rotation of the log; undefined for none. */
  readonly rotation: Rotation | undefined;
  /** The file of the report, or `STDOUT`. */
  readonly outputFile: string;
  readonly quiet: boolean;
}

/** Resolves the options of `canary`. @param log the file to append to @throws CallError that names the option at fault */
export function resolveCanary(raw: RawCanaryOptions, log: string): CanaryRunOptions {
  const comparison = resolveComparison(raw);
  if (comparison.comparison.as === 'fields' && !comparison.comparison.fields.has('request_target')) {
    throw new CallError({ source: '--fields' }, 'the target, which carries the mark, is not named', 'add request_target=path');
  }
  if (raw.run !== undefined) requireRunName('--run', raw.run);
  return {
    ...comparison,
    rate: parsePositive('--rate', raw.rate),
    durationMs: raw.duration === undefined ? undefined : parseDuration('--duration', raw.duration),
    lateMs: parseDuration('--late', raw.late),
    run: raw.run ?? newRunName(),
    allowed: parseAllowed(raw.allow ?? [], CANARY_KINDS, 'kind'),
    max: parseMax(raw.max),
    format: raw.json === true ? 'json' : 'text',
    metrics: raw.metrics === undefined ? undefined : parseAddress(raw.metrics),
    profile: raw.profile,
    arrivals: raw.arrivals,
    targetsFile: raw.targets,
    ...resolveDeployment(raw),
    rotation: resolveRotationAlone(raw, log),
    outputFile: resolveOutputFile(raw.output),
    quiet: raw.quiet === true,
  };
}

const MAX_PORT = 65_535;
const LOOPBACK = '127.0.0.1';

/** Reads `9464`, `0.0.0.0:9464` or `[::1]:9464`. */
function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain = bracketed ?? LOOPBACK, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text) ?? [];
  const port = findWholeNumber(digits);
  if (port !== undefined && port <= MAX_PORT) return { host: plain, port };
  throw refuseOption('--metrics', text, 'is no address', 'give a port such as 9464, or host:port');
}
