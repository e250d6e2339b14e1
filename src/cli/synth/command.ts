import { Option, type Command } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import { zoneNamed } from '../../log/zone.js';
import { parseTime } from '../../requests/instant.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { DEFAULT_FROM, planTraffic } from '../../requests/synth/plan-traffic.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { addFaultOptions, FAULT_HELP, resolveFaults, type FaultChoice } from '../options/faults.js';
import { OUTPUT_OPTION, QUIET_OPTION, type OptionsOf } from '../options/output-file.js';
import { parseCount, parseDuration, parsePositive, parseSeed } from '../options/quantities.js';
import { addRotationOptions, resolveRotation } from '../options/rotation.js';
import { MARK_OPTION, REQUEST_FORMS, SPEED_OPTION } from '../options/traffic.js';
import type { SynthOptions } from './run.js';

const HELP = `
The same options give the same bytes, on any machine. Two of --count, --rate and
--to are enough: the third follows from them. Counts may be written 10k, 5M or
1e6, durations 500ms, 90s, 15m, 1h or 7d. The slices that --shard makes,
concatenated in order, are the whole: they can be made on many machines.

Requests arrive as those of independent users (--arrivals poisson), one in each
equal stretch of the traffic (even), or in bursts within two seconds (bursty).

A list of targets is CSV: request_target,weight or
request_target,weight,http_method. Left out, the twelve targets that were
observed.

${FAULT_HELP}

Rotation renames FILE to FILE.1, FILE.1 to FILE.2 and so on, between two groups.
With -o, SIGHUP reopens the file, for rotation by another program.

Examples:
  webmail-diaglog synth --seed 7 --count 100000 --profile office > error.log
  webmail-diaglog synth --from 2025-03-01 --to 2025-04-01 --rate 2 > error.log
  webmail-diaglog synth --rate 2 --duration 1h --as requests > requests.csv
  webmail-diaglog synth --live --rate 50 --count forever --rotate 10MB -o e.log
  webmail-diaglog synth --as requests | webmail-diaglog replay --dialect php
  webmail-diaglog synth --faults all:0.01 --fault-report f.ndjson > broken.log
  webmail-diaglog synth --count 20000000 --shard 3/8 > error.3.log

Exit codes: 0 done, 1 the list of targets is at fault, 2 the call or the
environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `synth`. */
export function addSynthCommand(program: Command): void {
  addSynthOptions(program.command('synth'))
    .summary('a seed -> the log, or a request list')
    .description('Makes up traffic, the same for the same options, and writes its log or its request list.')
    .addHelpText('after', HELP)
    .action(async (options) => {
      const resolved = resolveSynth(options);
      const { runSynth } = await import('./run.js');
      await runSynth(resolved);
    });
}

/** Adds the options of `synth`. */
export function addSynthOptions(command: Command) {
  const withOwn = command
    .addOption(new Option('--seed <integer>', 'what chance depends on').argParser((text) => parseSeed('--seed', text)).default(1))
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

/** The options as they are parsed. Those that decide the span of the traffic are texts, which messages about all of them quote. */
type ParsedSynthOptions = OptionsOf<typeof addSynthOptions>;

/** The options that `--live` stands for. */
const LIVE = { from: 'now', speed: 1 } as const;

/** The flags of the options that messages about the traffic name, by the words of `planTraffic`. */
const FLAGS = { from: 'from', to: 'to', durationMs: 'duration', count: 'count', rate: 'rate', shard: 'shard' } as const;

/** Resolves what needs several options. @throws CallError that names the option at fault */
export function resolveSynth(parsed: ParsedSynthOptions): SynthOptions {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const { count, duration, rate, to } = options;
  const site = resolveDeployment(options);
  const { timezone } = site.deployment;
  const rotation = resolveRotation(options, options.output);
  const begin = parseTime('--from', options.from ?? DEFAULT_FROM, timezone);
  const now = { millisecond: Date.now(), clockMs: performance.now() };
  const traffic = {
    ...options,
    from: begin === 'now' ? now.millisecond : begin,
    to: to === undefined ? undefined : parseEnd(to, timezone),
    durationMs: duration === undefined ? undefined : parseDuration('--duration', duration),
    count: count === undefined ? undefined : parseCount('--count', count, 0),
    rate: rate === undefined ? undefined : parsePositive('--rate', rate),
    zone: zoneNamed(timezone),
  };
  const { shard } = options;
  return {
    ...options,
    ...planTraffic(
      { ...traffic, shard },
      { nameOf: (option) => `--${FLAGS[option]}`, textOf: (option) => options[FLAGS[option]] ?? '' },
    ),
    ...site,
    rotation,
    anchor: begin === 'now' ? now : undefined,
    faults: resolveLogFaults(options),
  };
}

function resolveLogFaults(options: ParsedSynthOptions): FaultChoice | undefined {
  const faults = resolveFaults(options);
  if (faults === undefined || options.as === 'log') return faults;
  throw new CallError({ source: '--faults' }, 'a request list cannot be broken', 'leave it out, or give --as log');
}

function parseEnd(text: string, timezone: string): number {
  const to = parseTime('--to', text, timezone);
  if (to === 'now') throw refuseOption('--to', text, 'is no end', 'give a time after --from');
  return to;
}
