import type { Command, OptionValues } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import { findWholeNumber } from './numbers.js';

const MAX_PORT = 65_535;

/** Adds the options of a server's address. Generic, so that earlier options of the command keep their types. */
export function addListeningOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .option('--host <host>', 'name or address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '8080');
}

/** Resolves the address of a server. @returns a port of 0 for any that is free @throws CallError that names the option at fault */
export function resolveListening(raw: { readonly host: string; readonly port: string }): {
  readonly host: string;
  readonly port: number;
} {
  return { host: resolveHost(raw.host), port: parsePort(raw.port) };
}

/** An IPv6 address may be given in brackets, as in a URL: node:net takes no brackets. */
function resolveHost(host: string): string {
  // node:net would listen on all addresses.
  if (host === '') throw new CallError({ source: '--host' }, 'it is empty', 'give a name or an address of this machine');
  return host.replace(/^\[(.*)\]$/, '$1');
}

function parsePort(text: string): number {
  const port = findWholeNumber(text);
  if (port !== undefined && port <= MAX_PORT) return port;
  throw refuseOption('--port', text, 'is no port', 'give a number from 0 to 65535');
}
