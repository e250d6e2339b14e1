import { isIPv6 } from 'node:net';
import { isObject } from '../arguments.js';
import { CallError } from '../errors.js';

/** Records on a stream socket end in LF, or follow their length (RFC 6587's octet counting). */
export const FRAMINGS = ['lf', 'octet'] as const;
export type Framing = (typeof FRAMINGS)[number];

export type SocketAddress =
  | { readonly sort: 'tcp' | 'udp'; readonly host: string; readonly port: number }
  | { readonly sort: 'unix'; readonly path: string };

const MAX_PORT = 65_535;

/** True for an address instead of a path. A file of such a name is named with `./` before it. */
export function isAddress(output: string): boolean {
  return /^(?:tcp|udp|unix):/.test(output);
}

export function refuseReadAddress(input: string): void {
  if (!isAddress(input)) return;
  const remedy = 'start webmail-diaglog receive --tcp or --udp there, and name the file that it writes';
  throw new CallError({ source: input }, 'an address cannot be read from', remedy);
}

/** Reads `tcp://host:port`, `udp://[::1]:514` or `unix:/path`. @throws CallError */
export function parseSocketAddress(text: string): SocketAddress {
  const refuse = (problem: string, remedy: string): CallError => new CallError({ source: text }, problem, remedy);
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length);
    if (path === '') throw refuse('the path of the socket is empty', 'give one such as unix:/run/log.sock');
    return { sort: 'unix', path };
  }
  const [, sort, bracketed, plain, digits = ''] = /^(tcp|udp):\/\/(?:\[([^\]]+)\]|([^:[\]/]+))(?::(\d*))?\/?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || (bracketed !== undefined && !isIPv6(bracketed)))
    throw refuse('is not an address', 'give one such as tcp://127.0.0.1:514 or udp://[::1]:514');
  if (digits === '') throw refuse('has no port', `give one such as ${text.replace(/[:/]+$/, '')}:514`);
  const port = Number(digits);
  if (port < 1 || port > MAX_PORT) throw refuse(`has the port ${digits}`, `give a port from 1 to ${String(MAX_PORT)}`);
  return { sort: sort === 'tcp' ? sort : 'udp', host, port };
}

const LOOK = 'check that the receiver runs and the address is right';
const LOST = 'check the receiver, and what arrived of the last groups';

const SOCKET_ERRORS: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  ECONNREFUSED: ['the connection was refused', LOOK],
  ECONNRESET: ['the connection was reset', LOST],
  EPIPE: ['the receiver closed the connection', LOST],
  ETIMEDOUT: ['nothing answers there', LOOK],
  EHOSTUNREACH: ['the host cannot be reached', LOOK],
  ENETUNREACH: ['the network cannot be reached', LOOK],
  ENOTFOUND: ['the host does not resolve', 'check its name'],
  EAI_AGAIN: ['the host does not resolve', 'check its name'],
  ENOENT: ['no such socket', 'check the path, and that the receiver runs'],
  EACCES: ['permission denied', 'check who owns the socket and its mode'],
  EPROTOTYPE: ['is not a stream socket', 'have the receiver listen on a stream socket'],
};

export function explainSocketError(error: unknown, address: string): CallError {
  const code = isObject(error) && 'code' in error ? String(error.code) : 'an error';
  const [problem, remedy] = SOCKET_ERRORS[code] ?? [`the system reports ${code}`, LOOK];
  return new CallError({ source: address }, problem, remedy, { cause: error });
}
