import { refuseUse } from '../../errors.js';
import type { Options } from './option.js';
import { findWholeNumber, foundValue, freeValue } from './values.js';

const LOOPBACK = '127.0.0.1';
export const DEFAULT_PORT = 8080;
const MAX_PORT = 65_535;

type Address = Exclude<ReturnType<typeof findAddress>, undefined>;

const HOST = freeValue('host', (key, host) => {
  // node:net would listen on all addresses.
  if (host === '') throw refuseUse(key, 'the host is empty', 'give a name or an address of this machine');
  // An IPv6 address may be given in brackets, as in a URL: node:net takes no brackets.
  return host.replace(/^\[(.*)\]$/, '$1');
});

export const PORT = foundValue('number', findPort, 'a port number', `a number from 0 to ${String(MAX_PORT)}`);

/** `9464`, `0.0.0.0:9464` or `[::1]:9464`. */
export const ADDRESS = foundValue('address', findAddress, 'an address', 'a port such as 9464, or host:port');

export const ADDRESSES = freeValue<readonly Address[]>('address', (key, text, before = []) => [
  ...before,
  ADDRESS.parse(key, text),
]);

export const LISTENING = {
  host: { value: HOST, meaning: 'name or address to listen on', default: LOOPBACK },
  port: {
    value: PORT,
    meaning: 'port to listen on; 0 picks a free one',
    default: DEFAULT_PORT,
    detail: 'The address is printed on stderr.',
  },
} satisfies Options;

function findAddress(text: string) {
  const [, bracketed, host = bracketed ?? LOOPBACK, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text) ?? [];
  const port = findPort(digits);
  return port === undefined ? undefined : { host, port };
}

function findPort(text: string): number | undefined {
  return findWholeNumber(text, 0, MAX_PORT);
}
