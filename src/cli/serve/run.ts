import { StoppedError } from '../../errors.js';
import { countOf } from '../../wording.js';
import { serve } from '../../serve/serve.js';
import { say } from '../messages.js';
import type { ServeRunOptions } from './options.js';
import { Interrupted } from '../signals.js';
import { withDestination } from '../with-destination.js';

/** Runs `serve`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runServe({ host, port, prefixes, deployment, outputFile }: ServeRunOptions): Promise<void> {
  const shownPrefixes = prefixes.map((prefix) => `/${prefix}/`).join(', ');
  let groups = 0;
  let reason: unknown;
  try {
    await withDestination({
      outputFile,
      open: () => Promise.resolve({}),
      work: async (_source, log, signal) => {
        const onListening = (address: string): void => {
          say(`listening on ${address} for ${shownPrefixes}`);
        };
        await serve({ host, port, prefixes, deployment, now: Date.now, onListening, warn: say }, log, signal);
        groups = log.output.written;
        reason = signal.reason;
      },
    });
  } catch (error) {
    // It came before the log was open.
    if (!(error instanceof Interrupted)) throw error;
    reason = error;
  }
  if (reason instanceof Interrupted && reason.signal === 'SIGHUP') throw new StoppedError(reason, groups, undefined, 'group');
  if (reason instanceof Interrupted) say(`${reason.message} (${countOf(groups, 'group')} written)`);
}
