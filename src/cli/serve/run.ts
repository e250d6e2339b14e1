import { serve } from '../../serve/serve.js';
import { say } from '../messages.js';
import { runService } from '../run-service.js';
import type { ServeRunOptions } from './options.js';

/** Runs `serve`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runServe({ outputFile, usedFiles, quiet, ...options }: ServeRunOptions): Promise<void> {
  const shownPrefixes = options.prefixes.map((prefix) => `/${prefix}/`).join(', ');
  const onListening = (address: string): void => {
    say(`listening on ${address} for ${shownPrefixes}`);
  };
  await runService({ outputFile, noun: 'group', usedFiles, quiet }, (destination, signal) =>
    serve({ ...options, now: Date.now, onListening, warn: say }, destination, signal),
  );
}
