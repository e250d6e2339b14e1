import { Option, type Command } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import { zoneNamed } from '../../log/zone.js';
import type { Anchor } from '../../output/pacer.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { DEFAULT_FROM, planTraffic, type PlannedTraffic } from '../../requests/synth/plan-traffic.js';
import type { UsedFile } from '../../output/log-file.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { parseDuration } from '../options/durations.js';
import { addFaultOptions, resolveFaults, type FaultChoice } from '../options/faults.js';
import { MARK_OPTION, parseMark } from '../options/mark.js';
import { parseCount, parsePositive } from '../options/numbers.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';
import { addRotationOptions, resolveRotation, type RotationChoice } from '../options/rotation.js';
import { parseSeed } from '../options/seeds.js';
import { parseSpeed, SPEED_OPTION } from '../options/speed.js';
import { parseTime } from '../../requests/instant.js';
import { REQUEST_FORMS, type RequestForm } from '../options/request-forms.js';

/** Adds the options of `synth`. */
export function addSynthOptions(command: Command) {
  const withOwn = command
    .option('--seed <integer>', 'what chance depends on', '1')
    .option('--from <time>', 'when the traffic begins, or "now" (default: 2025-05-18 on the clock of --timezone)')
    .option('--to <time>', 'when it has ended (default: a day after --from)')
    .option('--duration <time>', 'how long it lasts, instead of --to: 90s, 15m, 1h, 7d')
    .option('--count <n>', 'how many requests, or "forever" (default: 1000)')
    .option('--rate <number>', 'how many requests a second, in the mean')
    .addOption(new Option('--profile <profile>', 'how it spreads over day and week').choices(PROFILES).default('flat'))
    .addOption(new Option('--arrivals <kind>', 'how requests follow one another').choices(ARRIVALS).default('poisson'))
    .option('--targets <file>', 'the targets to draw from, with weights')
    .addOption(new Option('--as <form>', 'what is written').choices(REQUEST_FORMS).default('log'))
    .option('--shard <i/n>', 'the i-th of n slices only')
    .addOption(SPEED_OPTION)
    .option('--live', 'short for --from now --speed 1')
    .addOption(MARK_OPTION)
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(addFaultOptions(addRotationOptions(withOwn)));
}

/** The options as given. */
export type RawSynthOptions = OptionsOf<typeof addSynthOptions>;

/** The options as meant. */
export interface SynthRunOptions extends RotationChoice, PlannedTraffic {
  /** The list of targets to draw from; undefined for those that the specification names. */
  readonly targetsFile: string | undefined;
  readonly form: RequestForm;
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  /** The pace of the traffic in real time, as a multiple of its own; undefined if as fast as possible. */
  readonly speed: number | undefined;
  /** The beginning of the traffic on the wall clock, for `--from now`; undefined for any other time. */
  readonly anchor: Anchor | undefined;
  /** The query parameter that numbers the requests, if any. */
  readonly mark: string | undefined;
  /** The faults that the log is broken by; undefined for none. */
  readonly faults: FaultChoice | undefined;
}

/** The options that `--live` stands for. */
const LIVE = { from: 'now', speed: '1' } as const;

/** The flags of the options that messages about the traffic name, by the words of `planTraffic`. */
const FLAGS = { from: 'from', to: 'to', durationMs: 'duration', count: 'count', rate: 'rate', shard: 'shard' } as const;

/** Resolves the options of `synth`. @throws CallError that names the option at fault */
export function resolveSynth(given: RawSynthOptions): SynthRunOptions {
  const raw: RawSynthOptions = given.live === true ? { ...LIVE, ...given } : given;
  const { deployment, usedFiles } = resolveDeployment(raw);
  const outputFile = resolveOutputFile(raw.output);
  const rotation = resolveRotation(raw, outputFile);
  const begin = parseTime('--from', raw.from ?? DEFAULT_FROM, deployment.timezone);
  const now = { millisecond: Date.now(), clockMs: performance.now() };
  const options = {
    seed: parseSeed('--seed', raw.seed),
    from: begin === 'now' ? now.millisecond : begin,
    to: raw.to === undefined ? undefined : parseEnd(raw.to, deployment.timezone),
    durationMs: raw.duration === undefined ? undefined : parseDuration('--duration', raw.duration),
    count: raw.count === undefined ? undefined : parseCount('--count', raw.count, 0),
    rate: raw.rate === undefined ? undefined : parsePositive('--rate', raw.rate),
    profile: raw.profile,
    arrivals: raw.arrivals,
    shard: raw.shard,
    zone: zoneNamed(deployment.timezone),
  };
  return {
    ...planTraffic(options, { nameOf: (option) => `--${FLAGS[option]}`, textOf: (option) => raw[FLAGS[option]] ?? '' }),
    targetsFile: raw.targets,
    form: raw.as,
    outputFile,
    ...rotation,
    quiet: raw.quiet === true,
    deployment,
    usedFiles,
    speed: raw.speed === undefined ? undefined : parseSpeed(raw.speed),
    anchor: begin === 'now' ? now : undefined,
    mark: raw.mark === undefined ? undefined : parseMark(raw.mark),
    faults: resolveLogFaults(raw, outputFile, rotation),
  };
}

function resolveLogFaults(raw: RawSynthOptions, outputFile: string, rotation: RotationChoice): FaultChoice | undefined {
  const faults = resolveFaults(raw, outputFile, rotation);
  if (faults === undefined || raw.as === 'log') return faults;
  throw new CallError({ source: '--faults' }, 'a request list cannot be broken', 'leave it out, or give --as log');
}

function parseEnd(text: string, timezone: string): number {
  const to = parseTime('--to', text, timezone);
  if (to === 'now') throw refuseOption('--to', text, 'is no end', 'give a time after --from');
  return to;
}
