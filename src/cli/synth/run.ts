import type { Batches, LogRequest } from '../../log/group.js';
import type { Destination } from '../../output/destination.js';
import type { ReadFile } from '../../output/log-file.js';
import { markRequests } from '../../requests/mark.js';
import { synthesize } from '../../requests/synth/synth.js';
import { OBSERVED_TARGETS, readWeightedTargets, type WeightedTarget } from '../../requests/synth/weighted-targets.js';
import { say } from '../messages.js';
import { openSource } from '../open-source.js';
import type { SynthRunOptions } from './options.js';
import { withDestination } from '../with-destination.js';
import { nounOf, writeRequests } from '../write-requests.js';

/** Runs `synth`. @throws the errors that `endWith` handles */
export async function runSynth(options: SynthRunOptions): Promise<void> {
  if (options.anchor !== undefined && options.speed === undefined)
    say('--from: now without --speed writes times that are yet to come; give --live to write each group when its time comes');
  await withDestination({
    outputFile: options.outputFile,
    rotation: options.rotation,
    copyFile: options.copyFile,
    noun: nounOf(options.form),
    quiet: options.quiet,
    open: (signal) => openTargets(options.targetsFile, signal),
    measure: (_sources, { written, noun }) => ({ share: shareOf(written, options), done: written, unit: noun }),
    readFiles: ({ readFiles }) => [...readFiles, ...options.readFiles],
    work: ({ targets }, destination, signal) => writeSynth(targets, destination, options, signal),
  });
}

/** The share of the requests that have been written; undefined for a run without an end. */
function shareOf(written: number, { plan: { slice }, isEndless }: SynthRunOptions): number | undefined {
  return isEndless || slice.end === slice.first ? undefined : written / (slice.end - slice.first);
}

/** The targets to draw from. */
interface Targets {
  readonly targets: readonly WeightedTarget[];
  /** The file that holds the targets, if any. */
  readonly readFiles: readonly ReadFile[];
}

async function openTargets(file: string | undefined, signal: AbortSignal): Promise<Targets> {
  if (file === undefined) return { targets: OBSERVED_TARGETS, readFiles: [] };
  const { chunks, source, stats } = await openSource(file, 'synth', 'list of targets', signal);
  return { targets: await readWeightedTargets(chunks, source), readFiles: [{ stats, role: 'targets' }] };
}

async function writeSynth(
  targets: readonly WeightedTarget[],
  destination: Destination,
  { plan, form, deployment, speed, anchor, mark, isFirstShard }: SynthRunOptions,
  signal: AbortSignal,
): Promise<undefined> {
  let requests: Batches<LogRequest> = synthesize({ ...plan, targets });
  if (mark !== undefined) requests = markRequests(requests, mark, plan.slice.first + 1);
  const options = { form, hasHeader: isFirstShard && !destination.isContinued, deployment, speed, hasMore: () => true };
  await writeRequests(requests, destination, anchor === undefined ? options : { ...options, anchor }, signal);
}
