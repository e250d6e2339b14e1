import { Option, type Command } from 'commander';
import { CallError } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import { timingOf, type Timing } from '../../requests/retime.js';
import { ORDERS, type Order } from '../../requests/order.js';
import type { UsedFile } from '../../output/log-file.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { addFaultOptions, resolveFaults, type FaultChoice } from '../options/faults.js';
import { MARK_OPTION, parseMark } from '../options/mark.js';
import { parseCount } from '../options/numbers.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';
import { resolvePrefixes } from '../options/prefixes.js';
import { addRotationOptions, resolveRotation, type RotationChoice } from '../options/rotation.js';
import { parseSpeed, SPEED_OPTION } from '../options/speed.js';
import { parseTime } from '../../requests/instant.js';

const INPUT_FORMATS = ['csv', 'access-log'] as const;
const BAD_ROW_ACTIONS = ['stop', 'skip'] as const;

/** Adds the argument and the options of `replay`. */
export function addReplayOptions(command: Command) {
  const withOwn = command
    .argument('[requests]', 'the request list, or an access log; left out or -, standard input')
    .addOption(new Option('--from <format>', 'what is read').choices(INPUT_FORMATS).default('csv'))
    .option('--prefixes <a,b,c>', 'of an access log, take what is under these path prefixes')
    .option('--every-line', 'of an access log, take every well-formed line')
    .addOption(
      new Option('--order <order>', 'a step back in time: refuse it, sort the list, or keep it')
        .choices(ORDERS)
        .default('strict'),
    )
    .addOption(
      new Option('--on-bad-row <action>', 'stop at a bad row, or report and skip it').choices(BAD_ROW_ACTIONS).default('stop'),
    )
    .option('--start <time>', 're-time the list: its first request lands on this moment, or on "now"')
    .addOption(SPEED_OPTION)
    .option('--live', 'short for --start now --speed 1')
    .option('--loop <n>', 'play a file n times, or "forever"')
    .addOption(MARK_OPTION)
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(addFaultOptions(addRotationOptions(withOwn)));
}

/** The options as given. */
export type RawReplayOptions = OptionsOf<typeof addReplayOptions>;

/** The options as meant. */
export interface ReplayRunOptions extends RotationChoice, Timing {
  /** The options of reading an access log; undefined if the input is a request list. */
  readonly accessLog: { readonly prefixes?: readonly string[]; readonly everyLine: boolean } | undefined;
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  readonly order: Order;
  readonly skipBadRows: boolean;
  /** The number of times that the list is played; may be Infinity. */
  readonly passes: number;
  /** The query parameter that numbers the requests, if any. */
  readonly mark: string | undefined;
  /** The faults that the log is broken by; undefined for none. */
  readonly faults: FaultChoice | undefined;
}

/** The options that `--live` stands for. */
const LIVE = { start: 'now', speed: '1' } as const;

/** Resolves the options of `replay`. @throws CallError that names the option at fault */
export function resolveReplay(given: RawReplayOptions): ReplayRunOptions {
  const raw: RawReplayOptions = given.live === true ? { ...LIVE, ...given } : given;
  const { deployment, usedFiles } = resolveDeployment(raw);
  const outputFile = resolveOutputFile(raw.output);
  const rotation = resolveRotation(raw, outputFile);
  const speed = raw.speed === undefined ? undefined : parseSpeed(raw.speed);
  const startAt = raw.start === undefined ? undefined : resolveStart(raw.start, deployment);
  return {
    accessLog: resolveAccessLog(raw),
    outputFile,
    ...rotation,
    quiet: raw.quiet === true,
    deployment,
    usedFiles,
    order: raw.order,
    skipBadRows: raw.onBadRow === 'skip',
    ...timingOf(startAt, speed),
    passes: raw.loop === undefined ? 1 : parseCount('--loop', raw.loop, 1),
    mark: raw.mark === undefined ? undefined : parseMark(raw.mark),
    faults: resolveFaults(raw, outputFile, rotation),
  };
}

function resolveAccessLog({ from, prefixes, ...raw }: RawReplayOptions): ReplayRunOptions['accessLog'] {
  const everyLine = raw.everyLine === true;
  if (from === 'access-log') {
    if (prefixes === undefined) return { everyLine };
    if (!everyLine) return { everyLine, prefixes: resolvePrefixes(prefixes) };
    throw new CallError({ source: '--prefixes' }, 'with --every-line no line is passed over', 'give one of the two');
  }
  const flag = everyLine ? '--every-line' : prefixes === undefined ? undefined : '--prefixes';
  if (flag === undefined) return undefined;
  throw new CallError({ source: flag }, 'is for access logs', 'give --from access-log with it');
}

/** @returns gives the moment of the first request when it is called: `now` is when the first request comes */
function resolveStart(text: string, { timezone }: Deployment): () => number {
  const start = parseTime('--start', text, timezone);
  return () => (start === 'now' ? Date.now() : start);
}
