import { StoppedError } from '../../errors.js';
import { serve } from '../../serve/serve.js';
import { countOf } from '../../wording.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import type { Site } from '../options/deployment.js';
import { say } from '../messages.js';
import { Interrupted } from '../signals.js';

/** The options of `serve`. */
interface ServeOptions extends OutputOptions, Site {
  readonly host: string;
  /** 0 for any port that is free. */
  readonly port: number;
  readonly prefixes: readonly string[];
}

/** Runs `serve`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runServe(options: ServeOptions): Promise<void> {
  const { host, port, prefixes, deployment, usedFiles } = options;
  const shownPrefixes = prefixes.map((prefix) => `/${prefix}/`).join(', ');
  const onListening = (address: string): void => {
    say(`listening on ${address} for ${shownPrefixes}`);
  };
  let stopped: StoppedError | undefined;
  try {
    await runCommand({ ...options, noun: 'group' }, async (run) => {
      const log = await run.openOutput(usedFiles);
      await serve({ host, port, prefixes, deployment, now: Date.now, onListening, warn: say }, log, run.signal);
      stopped = new StoppedError(run.signal.reason, log.written, undefined, log.noun);
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
