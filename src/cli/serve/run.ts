import { serve } from '../../serve/serve.js';
import { runCommand } from '../command-run.js';
import { say } from '../messages.js';
import { resolveWrittenSite } from '../options/deployment.js';
import type { RunOf } from '../options/option.js';
import type { COMMAND } from './command.js';

export const RUN: RunOf<typeof COMMAND> = async (_args, options) => {
  const site = resolveWrittenSite(options);
  const onListening = (address: string): void => {
    say(`listening on ${address} for ${options.prefixes.map((prefix) => `/${prefix}/`).join(', ')}`);
  };
  const { usedFiles } = site;
  await runCommand({ ...options, usedFiles, noun: 'group', onSignal: 'end', followsPath: true }, async (run) => {
    await serve({ ...options, ...site, now: Date.now, onListening, warn: say }, await run.openOutput(), run.signal);
    return run.stopped;
  });
};
