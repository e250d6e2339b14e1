import { StoppedError } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import { serve } from '../../serve/serve.js';
import { countOf } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { say } from '../messages.js';
import { Interrupted } from '../signals.js';

/** The options of `serve`. */
export interface ServeRunOptions {
  readonly host: string;
  /** 0 for any port that is free. */
  readonly port: number;
  readonly prefixes: readonly string[];
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  /** The file to append to; left out or `-`, standard output. */
  readonly output?: string | undefined;
  /** True if the run shows no progress on a terminal. */
  readonly quiet?: true | undefined;
}

/** Runs `serve`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runServe(options: ServeRunOptions): Promise<void> {
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
