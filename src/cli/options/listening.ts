import type { Command, OptionValues } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import { optionOf } from './option.js';
import { findWholeNumber } from './quantities.js';

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;

/** Adds the options of a server's address. Generic, so that earlier options of the command keep their types. */
export function addListeningOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .addOption(optionOf('--host <host>', 'name or address to listen on', parseHost).default(LOOPBACK))
    .addOption(optionOf('--port <number>', 'port to listen on; 0 picks a free one', parsePort).default(8080));
}

/** An IPv6 address may be given in brackets, as in a URL: node:net takes no brackets. */
function parseHost(flag: string, host: string): string {
  // node:net would listen on all addresses.
  if (host === '') throw new CallError({ source: flag }, 'the host is empty', 'give a name or an address of this machine');
  return host.replace(/^\[(.*)\]$/, '$1');
}

function parsePort(flag: string, text: string): number {
  const port = findPort(text);
  if (port !== undefined) return port;
  throw refuseOption(flag, text, 'is not a port number', 'give a number from 0 to 65535');
}

/** Reads `9464`, `0.0.0.0:9464` or `[::1]:9464`. @throws CallError */
export function parseAddress(flag: string, text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, host = bracketed ?? LOOPBACK, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text) ?? [];
  const port = findPort(digits);
  if (port !== undefined) return { host, port };
  throw refuseOption(flag, text, 'is not an address', 'give a port such as 9464, or host:port');
}

function findPort(text: string): number | undefined {
  const port = findWholeNumber(text);
  return port !== undefined && port <= MAX_PORT ? port : undefined;
}
