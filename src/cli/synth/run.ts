import { CallError } from '../../errors.js';
import type { Destination } from '../../output/destination.js';
import type { UsedFile } from '../../output/log-file.js';
import { drawRequests, type Slice } from '../../requests/synth/synth.js';
import type { WeightedTarget } from '../../requests/synth/weighted-targets.js';
import { say } from '../messages.js';
import { STDIN } from '../open-source.js';
import { openTargets } from '../open-targets.js';
import type { OpenFaults } from '../run-faults.js';
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
    open: (signal) => openSources(options, signal),
    measure: (_sources, { written, noun }) => ({ share: shareOf(written, options), done: written, unit: noun }),
    usedFiles: ({ usedFiles }) => usedFiles,
    work: (sources, destination, signal) => writeSynth(sources, destination, options, signal),
  });
}

/** The share of the requests that have been written; undefined for a run without an end. */
function shareOf(written: number, { plan: { slice }, isEndless }: SynthRunOptions): number | undefined {
  return isEndless || slice.end === slice.first ? undefined : written / (slice.end - slice.first);
}

/** The targets to draw from, and the faults that the log is broken by. */
interface Sources {
  readonly targets: readonly WeightedTarget[];
  readonly faults: OpenFaults | undefined;
  /** The requests to make up. Faults of a slice depend on groups beside it. */
  readonly slice: Slice;
  /** The files of the run but the output. */
  readonly usedFiles: readonly UsedFile[];
}

async function openSources(options: SynthRunOptions, signal: AbortSignal): Promise<Sources> {
  const { targets, usedFiles: targetsFiles } = await openTargets(options.targetsFile, 'synth', signal);
  const usedFiles = [...targetsFiles, ...options.usedFiles];
  const { slice } = options.plan;
  if (options.faults === undefined) return { targets, faults: undefined, slice, usedFiles };
  if (options.targetsFile === STDIN && options.faults.foreignFile === STDIN) {
    throw new CallError({ source: '--foreign-from' }, 'standard input is the list of targets already', 'name a file');
  }
  const { openFaults } = await import('../run-faults.js');
  const { widenSlice } = await import('../../faults/fault-injector.js');
  const faults = await openFaults(options.faults, 'synth', usedFiles, signal);
  return { targets, faults, slice: widenSlice(slice, options.plan.count), usedFiles: [...usedFiles, ...faults.usedFiles] };
}

async function writeSynth(
  { targets, faults, slice }: Sources,
  destination: Destination,
  { plan, form, deployment, speed, anchor, mark, isFirstShard }: SynthRunOptions,
  signal: AbortSignal,
): Promise<undefined> {
  const requests = drawRequests({ ...plan, targets, slice, mark });
  const hasHeader = isFirstShard && !destination.isContinued;
  const options = { form, hasHeader, deployment, speed, hasMore: () => true, faults, slice: plan.slice };
  await writeRequests(requests, destination, anchor === undefined ? options : { ...options, anchor }, signal);
}
