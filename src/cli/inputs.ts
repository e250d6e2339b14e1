import { CallError, DataError } from '../errors.js';
import { openInput, openStdin, type Input } from '../input/input.js';
import type { UsedFile } from '../output/log-file.js';
import { sortByFirstSecond } from '../reading/log-ends.js';
import type { TargetShare } from '../requests/synth/weighted-targets.js';
import type { CommandRun } from './command-run.js';
import type { Progress } from './messages.js';

export const STDIN = '-';

export function sourceOf(name: string): string {
  return name === STDIN ? '<stdin>' : name;
}

/** Opens a file, or standard input for `-`. @throws CallError if the file cannot be opened */
export async function openSource(file: string, run: CommandRun, role: UsedFile['role'] = 'input'): Promise<Input> {
  const input = await (file === STDIN ? openStdin(() => process.stdin, run.signal) : openInput(file, run.signal));
  run.usedFiles.push({ stats: input.stats, role });
  return input;
}

/**
 * Opens inputs that are read as one, in the order of their first seconds; without any, standard input.
 * @param what a file, for a message: `request list`
 * @throws CallError if standard input is given twice, or is a terminal in place of a file; and what `openSource` throws
 */
export async function openInOrder(
  files: readonly string[],
  command: string,
  what: string,
  run: CommandRun,
  findFirstSecond: (input: Input) => Promise<number | undefined>,
): Promise<readonly Input[]> {
  refuseSecondStdin(files, 'name it once');
  if (files.length === 0) refuseTerminal(command, what);
  const inputs: Input[] = [];
  for (const file of files.length === 0 ? [STDIN] : files) inputs.push(await openSource(file, run));
  if (inputs.length === 1) return inputs;
  const seconds = new Map<Input, number | undefined>();
  for (const input of inputs) {
    try {
      seconds.set(input, await findFirstSecond(input));
    } catch (error) {
      // The reading meets a fault of the data again, after what came before it.
      if (!(error instanceof DataError)) throw error;
    }
  }
  return sortByFirstSecond(inputs, (input) => seconds.get(input));
}

export function refuseTerminal(command: string, what: string): void {
  if (!process.stdin.isTTY) return;
  const remedy = `name a file or pipe one in, see webmail-diaglog ${command} --help`;
  throw new CallError({ source: command }, `no ${what} is given`, remedy);
}

export function refuseSecondStdin(names: readonly (string | undefined)[], remedy: string): void {
  if (names.filter((name) => name === STDIN).length > 1)
    throw new CallError({ source: STDIN }, 'standard input can be read only once', remedy);
}

/** Reads a list of targets. @param file undefined for the targets of section 2.4 */
export async function readTargets(file: string | undefined, run: CommandRun): Promise<readonly TargetShare[]> {
  const { OBSERVED_TARGETS, readWeightedTargets } = await import('../requests/synth/weighted-targets.js');
  if (file === undefined) return OBSERVED_TARGETS;
  const { blocks, source } = await openSource(file, run, 'targets');
  return readWeightedTargets(blocks, source);
}

type MeasuredInput = Pick<Input, 'isGzip' | 'counts'> & {
  readonly stats: Pick<Input['stats'], 'isFile' | 'size'>;
};

/** The bytes of a log in a byte of its gzip. Logs of this kind have 20 to 45. */
const USUAL_RATIO = 30;

/** Measures how far the reading of inputs is, in unpacked bytes. A pipe has no known end. */
export function measureRead(inputs: readonly MeasuredInput[]): Progress {
  let [read, expected, done] = [0, 0, 0];
  for (const { stats, isGzip, counts } of inputs) {
    const ratio = isGzip ? USUAL_RATIO : 1;
    read += ratio * counts.bytesRead;
    expected += stats.isFile() ? ratio * stats.size : NaN;
    done += counts.bytesGiven;
  }
  return { share: expected > 0 ? Math.min(1, read / expected) : undefined, done, unit: 'B' };
}
