import { StoppedError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import type { Rotation } from '../output/rotation.js';
import { countOf } from '../wording.js';
import { say } from './messages.js';
import { Interrupted } from './signals.js';
import { withDestination } from './with-destination.js';

/** The output of a service. */
interface ServiceOutput {
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  readonly rotation?: Rotation | undefined;
  /** The noun for what is written and counted, in the singular: `group`, `line`. */
  readonly noun: string;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/**
 * Runs a service that writes what it is sent. SIGINT and SIGTERM are its normal end, which is said.
 *
 * @param serve resolves once a signal has ended the service
 * @throws the errors that `endWith` handles
 */
export async function runService(
  { usedFiles, ...output }: ServiceOutput,
  serve: (destination: Destination, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let stopped: StoppedError | undefined;
  try {
    await withDestination({
      ...output,
      open: () => Promise.resolve(undefined),
      usedFiles: () => usedFiles,
      work: async (_sources, destination, signal) => {
        await serve(destination, signal);
        const { written, noun } = destination.output;
        stopped = new StoppedError(signal.reason, written, undefined, noun);
      },
    });
  } catch (error) {
    // The signal came before the server listened.
    if (!(error instanceof StoppedError && error.cause instanceof Interrupted)) throw error;
    stopped = error;
  }
  if (!(stopped?.cause instanceof Interrupted)) return;
  if (stopped.cause.signal === 'SIGHUP') throw stopped;
  say(`${stopped.cause.message} (${countOf(stopped.written, stopped.noun)} written)`);
}
