import { StoppedError } from '../../errors.js';
import { serve } from '../../serve/serve.js';
import { countOf } from '../../wording.js';
import { say } from '../messages.js';
import { Interrupted } from '../signals.js';
import { withDestination } from '../with-destination.js';
import type { ServeRunOptions } from './options.js';

/** Runs `serve`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runServe({ outputFile, usedFiles, quiet, ...options }: ServeRunOptions): Promise<void> {
  const shownPrefixes = options.prefixes.map((prefix) => `/${prefix}/`).join(', ');
  const onListening = (address: string): void => {
    say(`listening on ${address} for ${shownPrefixes}`);
  };
  let stopped: StoppedError | undefined;
  try {
    await withDestination({
      outputFile,
      noun: 'group',
      quiet,
      open: () => Promise.resolve(undefined),
      usedFiles: () => usedFiles,
      work: async (_sources, destination, signal) => {
        await serve({ ...options, now: Date.now, onListening, warn: say }, destination, signal);
        const { written, noun } = destination;
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
