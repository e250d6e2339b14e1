import { Option, type Command, type OptionValues } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import { findWholeNumber } from './quantities.js';

const MAX_PORT = 65_535;

/** Adds the options of a server's address. Generic, so that earlier options of the command keep their types. */
export function addListeningOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .addOption(new Option('--host <host>', 'name or address to listen on').argParser(parseHost).default('127.0.0.1'))
    .addOption(new Option('--port <number>', 'port to listen on; 0 picks a free one').argParser(parsePort).default(8080));
}

/** An IPv6 address may be given in brackets, as in a URL: node:net takes no brackets. */
function parseHost(host: string): string {
  // node:net would listen on all addresses.
  if (host === '') throw new CallError({ source: '--host' }, 'the host is empty', 'give a name or an address of this machine');
  return host.replace(/^\[(.*)\]$/, '$1');
}

function parsePort(text: string): number {
  const port = findWholeNumber(text);
  if (port !== undefined && port <= MAX_PORT) return port;
  throw refuseOption('--port', text, 'is not a port number', 'give a number from 0 to 65535');
}
