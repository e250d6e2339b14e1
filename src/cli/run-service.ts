import { StoppedError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import { countOf } from '../wording.js';
import { runCommand, type OutputOptions } from './command-run.js';
import { say } from './messages.js';
import { Interrupted } from './signals.js';

/** The output of a service. */
interface ServiceSettings extends OutputOptions {
  /** The noun for what is written and counted, in the singular: `group`, `line`. */
  readonly noun: string;
}

/**
 * Runs a service that writes what it is sent. SIGINT and SIGTERM are its normal end, which is said.
 *
 * @param usedFiles the files that the options were read from
 * @param serve resolves once a signal has ended the service
 * @throws the errors that `endWith` handles
 */
export async function runService(
  settings: ServiceSettings,
  usedFiles: readonly UsedFile[],
  serve: (output: Destination, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let stopped: StoppedError | undefined;
  try {
    await runCommand(settings, async (run) => {
      const output = await run.openOutput(usedFiles);
      await serve(output, run.signal);
      stopped = new StoppedError(run.signal.reason, output.written, undefined, output.noun);
      return undefined;
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
