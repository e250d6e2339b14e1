import { serve } from '../../serve/serve.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { say } from '../messages.js';
import type { WrittenSite } from '../options/deployment.js';

/** The options of `serve`. */
interface ServeOptions extends OutputOptions, WrittenSite {
  readonly host: string;
  /** 0 for any port that is free. */
  readonly port: number;
  readonly prefixes: readonly string[];
}

/** Runs `serve`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runServe(options: ServeOptions): Promise<void> {
  const { host, port, prefixes, deployment, envelope } = options;
  const shownPrefixes = prefixes.map((prefix) => `/${prefix}/`).join(', ');
  const onListening = (address: string): void => {
    say(`listening on ${address} for ${shownPrefixes}`);
  };
  await runCommand({ ...options, noun: 'group', isService: true, followsPath: true }, async (run) => {
    const log = await run.openOutput();
    await serve({ host, port, prefixes, deployment, envelope, now: Date.now, onListening, warn: say }, log, run.signal);
    return run.stopped;
  });
}
