import { Option, type Command } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import { zoneNamed } from '../../log/zone.js';
import { parseTime } from '../../requests/instant.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { DEFAULT_FROM, planTraffic } from '../../requests/synth/plan-traffic.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { addLogWriterOptions, LOG_WRITER_HELP, resolveLogWriter, SPEED_OPTION } from '../options/log-writer.js';
import { optionOf, type OptionsOf } from '../options/option.js';
import { parseCount, parseDuration, parsePositive, parseSeed } from '../options/quantities.js';
import type { SynthOptions } from './run.js';

const HELP = `
The same options give the same bytes, on any machine. Two of --count, --rate and
--to are enough: the third follows from them. Counts may be written 10k, 5M or
1e6, durations 500ms, 90s, 15m, 1h or 7d. --shard 1/n to n/n write slices, on as
many machines as you like. Concatenated in order, the slices are the whole log.

--arrivals poisson: requests arrive as those of many independent users. even:
one request in each equal interval. bursty: bursts of requests within 2 seconds.

The file of --targets is CSV: request_target,weight or
request_target,weight,http_method. Without --targets, requests are for the
twelve targets of the specification.

${LOG_WRITER_HELP}

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
    .description('Generates requests from a seed, and writes their log or the list of them.')
    .addHelpText('after', HELP)
    .action(async (options) => {
      const { runSynth } = await import('./run.js');
      await runSynth(resolveSynth(options));
    });
}

/** Adds the options of `synth`. */
export function addSynthOptions(command: Command) {
  const withOwn = command
    .addOption(optionOf('--seed <integer>', 'seed of the random generator', parseSeed).default(1))
    .option('--from <time>', 'when the traffic begins, or "now" (default: 2025-05-18 on the clock of --timezone)')
    .option('--to <time>', 'when the traffic has ended (default: a day after --from)')
    .option('--duration <time>', 'how long the traffic lasts, instead of --to: 90s, 15m, 1h, 7d')
    .option('--count <n>', 'number of requests, or "forever" (default: 1000)')
    .option('--rate <number>', 'average requests per second')
    .addOption(new Option('--profile <profile>', 'how the traffic spreads over day and week').choices(PROFILES).default('flat'))
    .addOption(new Option('--arrivals <kind>', 'how requests follow one another').choices(ARRIVALS).default('poisson'))
    .option('--targets <file>', 'targets to draw from, with weights')
    .addOption(
      new Option('--as <form>', 'write the log, or the list of its requests').choices(['log', 'requests']).default('log'),
    )
    .option('--shard <i/n>', 'write only the i-th of n slices')
    .addOption(SPEED_OPTION)
    .option('--live', 'short for --from now --speed 1');
  return addLogWriterOptions(withOwn);
}

/** The options that `--live` stands for. */
const LIVE = { from: 'now', speed: 1 } as const;

/** The flags of the options that messages about the traffic name, by the words of `planTraffic`. */
const FLAGS = { from: 'from', to: 'to', durationMs: 'duration', count: 'count', rate: 'rate', shard: 'shard' } as const;

/**
 * Resolves what needs several options. Those that decide the span of the traffic are parsed as texts, which messages about all of them
 * quote.
 *
 * @throws CallError that names the option at fault
 */
export function resolveSynth(parsed: OptionsOf<typeof addSynthOptions>): SynthOptions {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const { count, duration, rate, shard, to, as: form } = options;
  const log = resolveLogWriter(options);
  if (log.faults !== undefined && form === 'requests')
    throw new CallError({ source: '--faults' }, 'a request list cannot be broken', 'leave it out, or give --as log');
  const { timezone } = log.deployment;
  const begin = parseTime('--from', options.from ?? DEFAULT_FROM, timezone);
  const end = to === undefined ? undefined : parseTime('--to', to, timezone);
  if (end === 'now') throw refuseOption('--to', end, 'cannot be the end', 'give a time after --from');
  const now = { millisecond: Date.now(), clockMs: performance.now() };
  const traffic = {
    ...options,
    from: begin === 'now' ? now.millisecond : begin,
    to: end,
    durationMs: duration === undefined ? undefined : parseDuration('--duration', duration),
    count: count === undefined ? undefined : parseCount('--count', count, 0),
    rate: rate === undefined ? undefined : parsePositive('--rate', rate),
    shard,
    zone: zoneNamed(timezone),
  };
  const words = {
    nameOf: (option: keyof typeof FLAGS) => `--${FLAGS[option]}`,
    textOf: (option: keyof typeof FLAGS) => options[FLAGS[option]] ?? '',
  };
  return { ...options, ...log, ...planTraffic(traffic, words), anchor: begin === 'now' ? now : undefined };
}
