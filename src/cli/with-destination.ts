import { StoppedError, type CallError, type DataError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import { openDestination, openStdout, type DestinationOptions } from '../output/open-destination.js';
import type { Rotation } from '../output/rotation.js';
import { countOf } from '../wording.js';
import type { Output } from '../output/output.js';
import { say } from './messages.js';
import { STDOUT } from './options/output-file.js';
import { progressDescriber, showProgress, type Progress } from './progress.js';
import { GRACE_MS, Interrupted, withSignals } from './signals.js';

/** The files that a run writes. */
interface OutputFiles {
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** The rotation of that file, if it is rotated. */
  readonly rotation?: Rotation | undefined;
  /** The file to append a copy to, or `STDOUT`; left out for no copy. */
  readonly copyFile?: string | undefined;
  /** The noun for what is written and counted, in the singular: `group`, `row`. */
  readonly noun: string;
}

/** A run that reads sources and writes to a destination. */
interface DestinationRun<Sources> extends OutputFiles {
  /** Opens what is read, before the destination is opened. */
  readonly open: (signal: AbortSignal) => Promise<Sources>;
  /** The files that the run reads, those of its options included: the output must be another file. */
  readonly usedFiles: (sources: Sources) => readonly UsedFile[];
  /** True if the run is not to show how far it is. */
  readonly quiet: boolean;
  /** True if a signal ends the reading only, and a report follows: it takes as long as it takes, or until a second signal. */
  readonly reportsOnSignal?: boolean;
  /** Called on SIGHUP in place of reopening the output. */
  readonly onHangup?: () => void;
  /** Measures how far the run is; left out, by what has been written, of a run whose end is unknown. */
  readonly measure?: (sources: Sources, output: Output) => Progress;
  /** Describes how far the run is, in place of `measure`. */
  readonly describe?: () => string;
  /** Returns a fault that was found at the end of the input, to be thrown once the destination is closed. */
  readonly work: (sources: Sources, destination: Destination, signal: AbortSignal) => Promise<CallError | DataError | undefined>;
}

/**
 * Opens the destination of a run, has the run write to the destination, and closes it. SIGINT and SIGTERM end the work in order; SIGHUP
 * reopens the file, if one was named. A terminal on stderr shows how far the run is.
 *
 * @throws what opening and the work throw, and StoppedError for a signal that came before the destination was open
 */
export async function withDestination<Sources>(run: DestinationRun<Sources>): Promise<void> {
  const { outputFile, noun, open, usedFiles, quiet, measure = measureWritten, work } = run;
  let destination: Destination | undefined;
  const describeWritten = (): string => `${countOf(destination?.output.written ?? 0, noun)} written`;
  // Until the destination is open there is nothing to reopen.
  const reopen = (): void => destination?.reopen();
  const openAndWork = async (signal: AbortSignal): Promise<void> => {
    const sources = await open(signal);
    const opened = await openBoth(run, usedFiles(sources), signal);
    destination = opened;
    const describe = run.describe ?? progressDescriber(() => measure(sources, opened.output));
    const stopStatus = quiet ? () => undefined : showProgress(describe, opened.output);
    let fault: CallError | DataError | undefined;
    try {
      fault = await work(sources, opened, signal);
    } catch (error) {
      opened.leave();
      throw error;
    } finally {
      stopStatus();
    }
    opened.close();
    if (fault !== undefined) throw fault;
  };
  try {
    await withSignals(openAndWork, describeWritten, {
      onHangup: run.onHangup ?? (outputFile === STDOUT ? undefined : reopen),
      graceMs: run.reportsOnSignal === true ? undefined : GRACE_MS,
    });
  } catch (error) {
    throw error instanceof Interrupted ? new StoppedError(error, 0, undefined, noun) : error;
  }
}

function measureWritten(_sources: unknown, { written, noun }: Output): Progress {
  return { share: undefined, done: written, unit: noun };
}

/** Opens the copy of the output, if there is one, and then the output, which must be another file. */
async function openBoth(
  { outputFile, rotation, copyFile, noun }: OutputFiles,
  usedFiles: readonly UsedFile[],
  signal: AbortSignal,
): Promise<Destination> {
  const options = { usedFiles, noun, signal, warn: say };
  if (copyFile === undefined) return openOutput(outputFile, { ...options, rotation });
  const copy = await openOutput(copyFile, options);
  const otherFiles = [...usedFiles, { stats: copy.stats, role: 'tee' } as const];
  const destination = await openOutput(outputFile, { ...options, rotation, usedFiles: otherFiles });
  const { withCopy } = await import('../output/copied-destination.js');
  return withCopy(destination, copy);
}

/** Opens a file for appending, or standard output. @throws CallError */
export async function openOutput(file: string, options: DestinationOptions): Promise<Destination> {
  if (file !== STDOUT) return openDestination(file, options);
  return openStdout(process.stdout, options.usedFiles, options.noun);
}
