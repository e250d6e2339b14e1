import type { Stats } from 'node:fs';
import { openInput } from '../input/input.js';
import type { Batches, LogRequest } from '../log/group.js';
import type { Log } from '../output/open-log.js';
import { followLog } from '../requests/follow-log.js';
import { markRequests } from '../requests/mark.js';
import { synthesize } from '../requests/synth.js';
import { OBSERVED_TARGETS, readWeightedTargets, type WeightedTarget } from '../requests/weighted-targets.js';
import { resolveSynth, type ResolvedSynth } from './resolve-synth.js';
import type { RawSynthOptions } from './synth.js';
import { withLog } from './with-log.js';
import { nounOf, writeRequests } from './write-requests.js';

/**
 * Runs `synth` with options as they were given.
 *
 * @throws the errors that `endWith` knows
 */
export async function runSynth(raw: RawSynthOptions): Promise<void> {
  const options = resolveSynth(raw);
  await withLog({
    outputFile: raw.output ?? '-',
    noun: nounOf(raw.as),
    open: (signal) => openTargets(raw.targets, signal),
    work: ({ targets }, log, signal) => writeSynth(targets, log, raw, options, signal),
  });
}

interface Targets {
  /** Which file they come from. */
  readonly stats?: Stats;
  readonly targets: readonly WeightedTarget[];
}

async function openTargets(file: string | undefined, signal: AbortSignal): Promise<Targets> {
  if (file === undefined) return { targets: OBSERVED_TARGETS };
  const { chunks, source, stats } = await openInput(file, signal);
  return { targets: await readWeightedTargets(chunks, source), stats };
}

async function writeSynth(
  targets: readonly WeightedTarget[],
  log: Log,
  raw: RawSynthOptions,
  { plan, deployment, speed, anchor, mark, isFirstShard }: ResolvedSynth,
  signal: AbortSignal,
): Promise<void> {
  let requests: Batches<LogRequest> = synthesize({ ...plan, targets });
  if (mark !== undefined) requests = markRequests(requests, mark, plan.slice.first + 1);
  const second = raw.as === 'log' ? await log.findLastSecond() : undefined;
  if (second !== undefined) {
    const remedy = 'name another file, or give a later --from';
    requests = followLog(requests, { second, file: raw.output ?? '-' }, { source: '--from', deployment, remedy });
  }
  const options = { form: raw.as, hasHeader: isFirstShard, deployment, speed, hasMore: () => true };
  await writeRequests(requests, log, anchor === undefined ? options : { ...options, anchor }, signal);
}
