import { refuseUse } from '../../errors.js';
import type { Anchor } from '../../output/pacer.js';
import type { PlannedTraffic } from '../../requests/synth/plan-traffic.js';
import { drawRequests } from '../../requests/synth/synthesize.js';
import { runCommand, type CommandRun, type OutputOptions } from '../command-run.js';
import { readTargets, STDIN } from '../inputs.js';
import { say } from '../messages.js';
import type { WrittenLog } from '../options/log-writer.js';
import { writeRequests } from '../write-requests.js';

/** The options of `synth`. */
export interface SynthOptions extends OutputOptions, WrittenLog, PlannedTraffic {
  /** The list of targets to draw from; left out, those that the specification names. */
  readonly targets?: string | undefined;
  readonly as: 'log' | 'requests';
  /** The pace of the traffic in real time, as a multiple of its own; left out, as fast as possible. */
  readonly speed?: number | undefined;
  /** The beginning of the traffic on the wall clock, for `--from now`; undefined for any other time. */
  readonly anchor: Anchor | undefined;
  /** The query parameter that numbers the requests, if any. */
  readonly mark?: string | undefined;
}

/** Runs `synth`. @throws the errors that `endWith` handles */
export async function runSynth(options: SynthOptions): Promise<void> {
  const { as: form, plan, deployment, envelope, speed, anchor, mark, isFirstShard } = options;
  if (anchor !== undefined && speed === undefined)
    say('--from: now without --speed writes times in the future; give --live to write each group when its time comes');
  const noun = form === 'log' ? 'group' : 'row';
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
async function openFaults({ faults, targets, plan, deployment }: SynthOptions, run: CommandRun) {
  if (faults === undefined) return { startBreaking: undefined, slice: plan.slice };
  if (targets === STDIN && faults.foreignFrom === STDIN) {
    throw refuseUse('foreignFrom', 'standard input is already the list of targets', 'name a file');
  }
  const runFaults = await import('../run-faults.js');
  const { widenSlice } = await import('../../faults/fault-injector.js');
  const startBreaking = await runFaults.openFaults(faults, { deployment, slice: plan.slice }, 'synth', run);
  return { startBreaking, slice: widenSlice(plan.slice, plan.count) };
}
