import { refuseOption, refuseUse } from '../../errors.js';
import { zoneNamed } from '../../log/zone.js';
import { resolveTime } from '../../requests/instant.js';
import { LIST_HEADER } from '../../requests/list/format-row.js';
import { DEFAULT_FROM, planTraffic } from '../../requests/synth/plan-traffic.js';
import { drawRequests } from '../../requests/synth/synthesize.js';
import { runCommand } from '../command-run.js';
import { readTargets, refuseSecondStdin } from '../inputs.js';
import { say } from '../messages.js';
import { resolveLogWriter } from '../options/log-writer.js';
import type { Given, RunOf } from '../options/option.js';
import { COUNT, DURATION, NUMBER } from '../options/values.js';
import { writeRequests } from '../write-requests.js';
import type { COMMAND } from './command.js';

const LIVE = { from: 'now', speed: 1 } as const;

export const RUN: RunOf<typeof COMMAND> = async (_args, given) => {
  const options = resolveSynth(given);
  const { as: form, plan, deployment, envelope, speed, anchor, mark, faults, isFirstShard } = options;
  refuseSecondStdin([options.targets, faults?.foreignFrom], 'name a file');
  if (anchor !== undefined && speed === undefined)
    say('--from: now without --speed writes times in the future; give --live to write each group when its time comes');
  const noun = form === 'log' ? 'group' : 'row';
  await runCommand({ ...options, noun, followsPath: speed !== undefined }, async (run) => {
    const targets = await readTargets(options.targets, run);
    const breaking =
      faults && (await (await import('../run-faults.js')).openFaults(faults, { deployment, envelope, slice: plan.slice }, run));
    // Faults of a slice depend on groups beside it: the slice that is made up is wider.
    const slice = breaking ? (await import('../../faults/fault-injector.js')).widenSlice(plan.slice, plan.count) : plan.slice;
    const output = await run.openOutput(({ written }) => ({ share: shareOf(written, options) }));
    const requests = drawRequests({ ...plan, targets, slice, mark });
    const head = form === 'requests' && isFirstShard && !output.isContinued ? Buffer.from(LIST_HEADER) : undefined;
    const writing = { form, deployment, envelope, speed, anchor, head, hasMore: () => true, ...breaking };
    await writeRequests(requests, output, run, writing);
    return undefined;
  });
};

/**
 * Resolves what needs several options. Those that decide the span of the traffic are parsed as texts, which messages about all of them
 * quote.
 * @throws CallError that names the option at fault
 */
export function resolveSynth(parsed: Given<typeof COMMAND.options>) {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const { count, duration, rate, shard, to, as: form } = options;
  const log = resolveLogWriter(options, form === 'requests');
  if (log.faults !== undefined && form === 'requests')
    throw refuseUse('faults', 'a request list cannot be broken', 'leave it out, or give --as log');
  if (log.envelope !== undefined && form === 'requests')
    throw refuseUse('envelope', 'a request list has none', 'leave it out, or give --as log');
  const { timezone } = log.deployment;
  const from = resolveTime('from', options.from ?? DEFAULT_FROM, timezone);
  const anchor = options.from === 'now' ? { millisecond: from, clockMs: performance.now() } : undefined;
  if (to === 'now') throw refuseOption('to', to, 'cannot be the end', 'give a time after --from');
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

/** The share of the requests that have been written; undefined for a run without an end. */
function shareOf(written: number, { plan: { slice, before } }: SynthOptions): number | undefined {
  return before === Infinity || slice.end === slice.first ? undefined : written / (slice.end - slice.first);
}
