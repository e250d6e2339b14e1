import { Option, type Command } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import type { Anchor } from '../../output/pacer.js';
import { findInstantFault } from '../../requests/instant.js';
import { PROFILES } from '../../requests/synth/profiles.js';
import { sliceOf, type Slice, type SynthOptions } from '../../requests/synth/synth.js';
import { trafficFrom, type Traffic } from '../../requests/synth/traffic.js';
import type { ReadFile } from '../../output/log-file.js';
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
import { parseTime } from '../options/times.js';
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
export interface SynthRunOptions extends RotationChoice {
  /** The traffic to make, without its targets. */
  readonly plan: Omit<SynthOptions, 'targets'>;
  /** The number of requests of all slices. */
  readonly count: number;
  /** The list of targets to draw from; undefined for those that the specification names. */
  readonly targetsFile: string | undefined;
  readonly form: RequestForm;
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly readFiles: readonly ReadFile[];
  /** The pace of the traffic in real time, as a multiple of its own; undefined if as fast as possible. */
  readonly speed: number | undefined;
  /** The beginning of the traffic on the wall clock, for `--from now`; undefined for any other time. */
  readonly anchor: Anchor | undefined;
  /** The query parameter that numbers the requests, if any. */
  readonly mark: string | undefined;
  readonly isFirstShard: boolean;
  /** True for a run that goes on until the last moment that a log can show. */
  readonly isEndless: boolean;
  /** The faults that the log is broken by; undefined for none. */
  readonly faults: FaultChoice | undefined;
}

/** The options that `--live` stands for. */
const LIVE = { from: 'now', speed: '1' } as const;

const DEFAULT_FROM = '2025-05-18';
const DEFAULT_COUNT = 1000;
const DAY_MS = 86_400_000;
/** Traffic of a profile differs from its mean for days. */
const LAST_MOMENT = Date.UTC(9999, 11, 31) - 14 * DAY_MS;

/** Resolves the options of `synth`. @throws CallError that names the option at fault */
export function resolveSynth(given: RawSynthOptions): SynthRunOptions {
  const raw: RawSynthOptions = given.live === true ? { ...LIVE, ...given } : given;
  const { deployment, readFiles } = resolveDeployment(raw);
  const outputFile = resolveOutputFile(raw.output);
  const rotation = resolveRotation(raw, outputFile);
  const zone = zoneNamed(deployment.timezone);
  const begin = parseTime('--from', raw.from ?? DEFAULT_FROM, deployment.timezone);
  const now = { millisecond: Date.now(), clockMs: performance.now() };
  const from = begin === 'now' ? now.millisecond : begin;
  const span = resolveSpan(raw, from, deployment.timezone);
  const traffic = trafficFrom(raw.profile, from, zone);
  const shard = raw.shard === undefined ? { i: 1, n: 1 } : parseShard(raw.shard, span.count);
  const isEndless = span.count === Infinity;
  const step = isEndless ? (traffic.meanPerMs * 1000) / span.rate : traffic.until(span.to) / span.count;
  const slice = isEndless ? endlessSlice(traffic, step, from) : sliceOf(span.count, shard.i, shard.n);
  return {
    plan: { seed: parseSeed('--seed', raw.seed), traffic, step, before: span.to, slice },
    count: isEndless ? slice.end : span.count,
    targetsFile: raw.targets,
    form: raw.as,
    outputFile,
    ...rotation,
    quiet: raw.quiet === true,
    deployment,
    readFiles,
    speed: raw.speed === undefined ? undefined : parseSpeed(raw.speed),
    anchor: begin === 'now' ? now : undefined,
    mark: raw.mark === undefined ? undefined : parseMark(raw.mark),
    isFirstShard: shard.i === 1,
    isEndless,
    faults: resolveLogFaults(raw, outputFile, rotation),
  };
}

function resolveLogFaults(raw: RawSynthOptions, outputFile: string, rotation: RotationChoice): FaultChoice | undefined {
  const faults = resolveFaults(raw, outputFile, rotation);
  if (faults === undefined || raw.as === 'log') return faults;
  throw new CallError({ source: '--faults' }, 'a request list cannot be broken', 'leave it out, or give --as log');
}

/** Makes the slice of a run without an end: as many requests as fit in before the year 9999 ends, or some days fewer. */
function endlessSlice({ meanPerMs }: Traffic, step: number, from: number): Slice {
  const end = Math.floor(((LAST_MOMENT - from) * meanPerMs) / step);
  if (end > 0) return { first: 0, end };
  const problem = 'leaves no time for requests without an end, which go on until 17 December 9999';
  throw new CallError({ source: '--from' }, problem, 'give an earlier time, or a --count');
}

/** The end of the traffic, and how much of it there is. */
interface Span {
  /** Unix time in milliseconds, exclusive. */
  readonly to: number;
  readonly count: number;
  /** Requests a second; used only where the count is infinite. */
  readonly rate: number;
}

function resolveSpan(raw: RawSynthOptions, from: number, timezone: string): Span {
  const zone = zoneNamed(timezone);
  if (raw.to !== undefined && raw.duration !== undefined) {
    throw new CallError({ source: '--duration' }, '--to says already when the traffic ends', 'give one of the two');
  }
  const [endFlag, end] = raw.duration === undefined ? ['--to', raw.to] : ['--duration', raw.duration];
  if (raw.count !== undefined && raw.rate !== undefined && end !== undefined) {
    throw new CallError({ source: endFlag }, 'follows from --count and --rate', 'give two of the three');
  }
  const count = raw.count === undefined ? undefined : parseCount('--count', raw.count, 0);
  const rate = raw.rate === undefined ? undefined : parsePositive('--rate', raw.rate);
  if (count === Infinity) {
    if (end !== undefined)
      throw refuseOption(endFlag, end, 'is an end, which forever has not', 'leave it out, or give a --count');
    if (rate === undefined) throw refuseOption('--count', 'forever', 'needs a rate', 'give --rate with it');
    return { to: Infinity, count, rate };
  }
  const to = count !== undefined && rate !== undefined ? from + Math.ceil((count / rate) * 1000) : resolveTo(raw, from, timezone);
  if (to > from && findInstantFault(to - 1, zone) !== undefined) {
    throw new CallError(
      { source: endFlag },
      'the traffic would last beyond the year 9999',
      'give fewer requests, or a higher rate',
    );
  }
  const counted = count ?? (rate === undefined ? DEFAULT_COUNT : Math.floor(((to - from) / 1000) * rate));
  if (Number.isSafeInteger(counted)) return { to, count: counted, rate: rate ?? 0 };
  throw refuseOption('--rate', raw.rate ?? '', 'is too many requests', 'give a lower rate');
}

function resolveTo({ to: text, duration }: RawSynthOptions, from: number, timezone: string): number {
  if (duration !== undefined) return from + parseDuration('--duration', duration);
  if (text === undefined) return nextDay(from, zoneNamed(timezone));
  const to = parseTime('--to', text, timezone);
  if (to === 'now') throw refuseOption('--to', text, 'is no end', 'give a time after --from');
  if (to > from) return to;
  throw refuseOption('--to', text, 'is not after --from', 'give a later time');
}

/** Finds the same time of day on the next day; 24 hours later where clocks are set forward over that time. */
function nextDay(from: number, zone: Zone): number {
  const second = Math.floor(from / 1000);
  const localSecond = second + zone.offsetAt(second) + DAY_MS / 1000;
  const [next] = zone.instantsOf(localSecond);
  return next === undefined ? from + DAY_MS : next * 1000 + (from - second * 1000);
}

function parseShard(text: string, count: number): { readonly i: number; readonly n: number } {
  const [, i = NaN, n = NaN] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(Number.isSafeInteger(n) && i >= 1 && i <= n)) {
    throw refuseOption('--shard', text, 'is no slice', 'give it as i/n, from 1/n to n/n');
  }
  if (count !== Infinity) return { i, n };
  throw refuseOption('--shard', text, 'is a share of nothing that ends', 'give a --count with it');
}
