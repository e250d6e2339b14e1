import type { UsedFile } from '../output/log-file.js';
import { OBSERVED_TARGETS, readWeightedTargets, type WeightedTarget } from '../requests/synth/weighted-targets.js';
import { openSource } from './inputs.js';

/** The targets to draw from. */
interface Targets {
  readonly targets: readonly WeightedTarget[];
  /** The file that holds the targets, if any. */
  readonly usedFiles: readonly UsedFile[];
}

/** Opens a list of targets. @param file undefined for the targets of section 2.4 @param command for messages @throws CallError, DataError */
export async function openTargets(file: string | undefined, command: string, signal: AbortSignal): Promise<Targets> {
  if (file === undefined) return { targets: OBSERVED_TARGETS, usedFiles: [] };
  const { blocks, source, stats } = await openSource(file, command, 'list of targets', signal);
  return { targets: await readWeightedTargets(blocks, source), usedFiles: [{ stats, role: 'targets' }] };
}
