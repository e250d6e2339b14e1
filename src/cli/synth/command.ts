import { refuseOption, refuseUse } from '../../errors.js';
import { FAULTS } from '../../faults/kinds.js';
import { zoneNamed } from '../../log/zone.js';
import { resolveTime } from '../../requests/instant.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { DEFAULT_FROM, planTraffic } from '../../requests/synth/plan-traffic.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { runCommand, type CommandRun } from '../command-run.js';
import { readTargets, STDIN } from '../inputs.js';
import { say } from '../messages.js';
import { formatKinds } from '../options/help-text.js';
import { LOG_WRITER_HELP, LOG_WRITING, resolveLogWriter, SPEED } from '../options/log-writer.js';
import { ENDED, defineCommand, type Given, type Options } from '../options/option.js';
import { COUNT, DURATION, FILE, kindOf, NUMBER, oneOf, SEED, TEXT } from '../options/values.js';
import { writeRequests } from '../write-requests.js';

const HELP = `The same options give the same bytes, on any machine. Two of --count, --rate and
--to are enough: the third follows from them. Counts may be written 10k, 5M or
1e6, durations 500ms, 90s, 15m, 1h or 7d. --shard 1/n to n/n write slices, on as
many machines as you like. Concatenated in order, the slices are the whole log.

The arrivals of requests:
${formatKinds(ARRIVALS)}

The file of --targets is CSV: request_target,weight or
request_target,weight,http_method. Without --targets, requests are for the
twelve targets of the specification.

${LOG_WRITER_HELP}`;

const EXAMPLES = [
  'webmail-diaglog synth --seed 7 --count 100000 --profile office > error.log',
  'webmail-diaglog synth --from 2025-03-01 --to 2025-04-01 --rate 2 > error.log',
  'webmail-diaglog synth --rate 2 --duration 1h --as requests > requests.csv',
  'webmail-diaglog synth --live --rate 50 --count forever --rotate 10MB -o e.log',
  'webmail-diaglog synth --as requests | webmail-diaglog replay --dialect php',
  'webmail-diaglog synth --faults all:0.01 --fault-report f.ndjson > broken.log',
  'webmail-diaglog synth --count 20000000 --shard 3/8 > error.3.log',
];

const SPAN = 'synth.md#count-rate-and-duration';

/** The options of `synth`. */
export const SYNTH_OPTIONS = {
  seed: { value: SEED, meaning: 'seed of the random generator', default: 1 },
  from: {
    value: TEXT,
    placeholder: 'time',
    meaning: 'when the traffic begins, or "now"',
    otherwise: `${DEFAULT_FROM} on the clock of --timezone`,
    detail: 'In [any form of a request list](replay.md#the-request-list).',
  },
  to: {
    value: TEXT,
    placeholder: 'time',
    meaning: 'when the traffic has ended',
    otherwise: 'a day after --from',
    detail: 'Exclusive.',
  },
  duration: {
    value: TEXT,
    placeholder: 'time',
    meaning: 'how long the traffic lasts, instead of --to: 90s, 15m, 1h, 7d',
    page: SPAN,
  },
  count: { value: TEXT, placeholder: 'n', meaning: 'number of requests, or "forever"', otherwise: '1000', page: SPAN },
  rate: { value: TEXT, placeholder: 'number', meaning: 'average requests per second', page: SPAN },
  profile: {
    value: kindOf('profile', PROFILES),
    meaning: 'how the traffic spreads over day and week',
    default: 'flat',
    detail: 'The same traffic at all hours, or more on working days than at night.',
  },
  arrivals: {
    value: kindOf('kind', ARRIVALS),
    meaning: 'how requests follow one another',
    default: 'poisson',
    page: 'synth.md#arrivals',
  },
  targets: {
    value: FILE,
    meaning: 'targets to draw from, with weights',
    detail: 'Left out, the twelve of section 2.4.',
    page: 'synth.md#targets',
  },
  as: {
    value: oneOf('form', ['log', 'requests']),
    meaning: 'write the log, or the list of its requests',
    default: 'log',
    detail: '`replay` turns the list into the same log.',
  },
  shard: { value: TEXT, placeholder: 'i/n', meaning: 'write only the i-th of n slices', page: 'synth.md#slices' },
  speed: SPEED,
  live: { meaning: 'short for --from now --speed 1' },
  ...LOG_WRITING,
} satisfies Options;

/** The command `synth`. */
export const SYNTH = defineCommand({
  name: 'synth',
  summary: 'a seed -> the log, or a request list',
  description: 'Generates requests from a seed, and writes their log or the list of them.',
  arguments: {},
  options: SYNTH_OPTIONS,
  help: HELP,
  examples: EXAMPLES,
  kinds: { faults: FAULTS },
  exit: { 0: 'done', 1: 'the list of targets is at fault', ...ENDED },
  run: async (_args, options) => {
    await runSynth(resolveSynth(options));
  },
});

/** The options that `--live` stands for. */
const LIVE = { from: 'now', speed: 1 } as const;

/**
 * Resolves what needs several options. Those that decide the span of the traffic are parsed as texts, which messages about all of them
 * quote.
 *
 * @throws CallError that names the option at fault
 */
export function resolveSynth(parsed: Given<typeof SYNTH_OPTIONS>) {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const { count, duration, rate, shard, to, as: form } = options;
  const log = resolveLogWriter(options, form === 'requests');
  if (log.faults !== undefined && form === 'requests')
    throw refuseUse('faults', 'a request list cannot be broken', (option) => `leave it out, or give ${option('as', 'log')}`);
  if (log.envelope !== undefined && form === 'requests')
    throw refuseUse('envelope', 'a request list has none', (option) => `leave it out, or give ${option('as', 'log')}`);
  const { timezone } = log.deployment;
  const from = resolveTime('from', options.from ?? DEFAULT_FROM, timezone);
  const anchor = options.from === 'now' ? { millisecond: from, clockMs: performance.now() } : undefined;
  if (to === 'now') throw refuseOption('to', to, 'cannot be the end', (option) => `give a time after ${option('from')}`);
  const traffic = {
    ...options,
    from,
    to: to === undefined ? undefined : resolveTime('to', to, timezone),
    duration: duration === undefined ? undefined : DURATION.parse('duration', duration),
    count: count === undefined ? undefined : COUNT.parse('count', count),
    rate: rate === undefined ? undefined : NUMBER.parse('rate', rate),
    shard,
    zone: zoneNamed(timezone),
  };
  return { ...options, ...log, ...planTraffic(traffic, { count, duration, rate, to }), anchor };
}

type SynthOptions = ReturnType<typeof resolveSynth>;

async function runSynth(options: SynthOptions): Promise<void> {
  const { as: form, plan, deployment, envelope, speed, anchor, mark, isFirstShard } = options;
  if (anchor !== undefined && speed === undefined)
    say('--from: now without --speed writes times in the future; give --live to write each group when its time comes');
  const noun = form === 'log' ? 'group' : 'row';
  // Not loaded for a help.
  const { drawRequests } = await import('../../requests/synth/synthesize.js');
  await runCommand({ ...options, noun, followsPath: speed !== undefined }, async (run) => {
    const targets = await readTargets(options.targets, 'synth', run);
    const { startBreaking, slice } = await openFaults(options, run);
    const output = await run.openOutput(({ written }) => ({ share: shareOf(written, options) }));
    const requests = drawRequests({ ...plan, targets, slice, mark });
    const hasHeader = isFirstShard && !output.isContinued;
    const writing = { form, hasHeader, deployment, envelope, speed, anchor, hasMore: () => true, startBreaking };
    await writeRequests(requests, output, writing, run);
    return undefined;
  });
}

/** The share of the requests that have been written; undefined for a run without an end. */
function shareOf(written: number, { plan: { slice }, isEndless }: SynthOptions): number | undefined {
  return isEndless || slice.end === slice.first ? undefined : written / (slice.end - slice.first);
}

/** Opens the faults of a run. Those of a slice depend on groups beside it: the slice that is made up is wider. */
async function openFaults({ faults, targets, plan, deployment, envelope }: SynthOptions, run: CommandRun) {
  if (faults === undefined) return { startBreaking: undefined, slice: plan.slice };
  if (targets === STDIN && faults.foreignFrom === STDIN) {
    throw refuseUse('foreignFrom', 'standard input is already the list of targets', 'name a file');
  }
  const runFaults = await import('../run-faults.js');
  const { widenSlice } = await import('../../faults/fault-injector.js');
  const startBreaking = await runFaults.openFaults(faults, { deployment, envelope, slice: plan.slice }, 'synth', run);
  return { startBreaking, slice: widenSlice(plan.slice, plan.count) };
}
