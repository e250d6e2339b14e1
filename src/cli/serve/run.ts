import { CallError, StoppedError } from '../../errors.js';
import { countOf, quoteText } from '../../wording.js';
import { serve } from '../../serve/serve.js';
import { say } from '../messages.js';
import { resolveDeployment } from '../options/resolve-deployment.js';
import { resolvePrefixes } from '../options/prefixes.js';
import type { RawServeOptions } from './command.js';
import { Interrupted } from '../signals.js';
import { withDestination } from '../with-destination.js';

/**
 * Runs `serve` with options as they were given. SIGINT and SIGTERM are its normal end.
 *
 * @throws the errors that `endWith` knows
 */
export async function runServe(raw: RawServeOptions): Promise<void> {
  const host = resolveHost(raw.host);
  const port = resolvePort(raw.port);
  const prefixes = resolvePrefixes(raw.prefixes);
  const deployment = resolveDeployment(raw);
  const shownPrefixes = prefixes.map((prefix) => `/${prefix}/`).join(', ');
  let groups = 0;
  let reason: unknown;
  try {
    await withDestination({
      outputFile: raw.output ?? '-',
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

function resolveHost(raw: string): string {
  // node:net takes an empty host for all addresses there are, and no brackets, which an address in a URL has.
  const host = raw.replace(/^\[(.*)\]$/, '$1');
  if (host !== '') return host;
  throw new CallError({ source: '--host' }, 'it is empty', 'give a name or an address of this machine');
}

function resolvePort(raw: string): number {
  const port = Number(raw);
  if (/^\d{1,5}$/.test(raw) && port <= 65_535) return port;
  throw new CallError({ source: '--port' }, `${quoteText(raw)} is no port`, 'give a number from 0 to 65535');
}
