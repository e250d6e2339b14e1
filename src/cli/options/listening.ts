import { refuseOption, refuseUse } from '../../errors.js';
import type { Options, TextValue } from './option.js';
import { findWholeNumber } from './quantities.js';

const LOOPBACK = '127.0.0.1';
export const DEFAULT_PORT = 8080;
const MAX_PORT = 65_535;

const HOST: TextValue<string> = {
  placeholder: 'host',
  completes: 'free',
  parse(key, host) {
    // node:net would listen on all addresses.
    if (host === '') throw refuseUse(key, 'the host is empty', 'give a name or an address of this machine');
    // An IPv6 address may be given in brackets, as in a URL: node:net takes no brackets.
    return host.replace(/^\[(.*)\]$/, '$1');
  },
};

export const PORT: TextValue<number> = {
  placeholder: 'number',
  completes: 'free',
  parse(key, text) {
    const port = findPort(text);
    if (port !== undefined) return port;
    throw refuseOption(key, text, 'is not a port number', `give a number from 0 to ${String(MAX_PORT)}`);
  },
};

/** `9464`, `0.0.0.0:9464` or `[::1]:9464`. */
export const ADDRESS: TextValue<{ readonly host: string; readonly port: number }> = {
  placeholder: 'address',
  completes: 'free',
  parse(key, text) {
    const [, bracketed, host = bracketed ?? LOOPBACK, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text) ?? [];
    const port = findPort(digits);
    if (port !== undefined) return { host, port };
    throw refuseOption(key, text, 'is not an address', 'give a port such as 9464, or host:port');
  },
};

/** Addresses, one for each use of the option. */
export const ADDRESSES: TextValue<readonly { readonly host: string; readonly port: number }[]> = {
  placeholder: 'address',
  completes: 'free',
  parse: (key, text, before = []) => [...before, ADDRESS.parse(key, text, undefined)],
};

/** The options of a server's address. */
export const LISTENING = {
  host: { value: HOST, meaning: 'name or address to listen on', default: LOOPBACK },
  port: {
    value: PORT,
    meaning: 'port to listen on; 0 picks a free one',
    default: DEFAULT_PORT,
    detail: 'The address is printed on stderr.',
  },
} satisfies Options;

function findPort(text: string): number | undefined {
  const port = findWholeNumber(text);
  return port !== undefined && port <= MAX_PORT ? port : undefined;
}
