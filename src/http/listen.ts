import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { refuseUse, systemErrorCode, type CallError } from '../errors.js';
import { quoteText } from '../wording.js';

export interface ListeningAddress {
  /** A name or an address of this machine. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The key of the option that gives both; left out where the options `host` and `port` do. */
  readonly option?: string;
}

/** Makes a server listen. @returns its address: `127.0.0.1:8080` @throws CallError that names the option at fault */
export async function listen(server: Server, address: ListeningAddress): Promise<string> {
  try {
    await once(server.listen(address.port, address.host), 'listening');
  } catch (error) {
    throw explainListenError(error, address);
  }
  return formatAddress(server.address());
}

/** Formats the address that is bound: `127.0.0.1:8080`, `[::1]:8080`. */
export function formatAddress(bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') return '';
  return `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${String(bound.port)}`;
}

/** Turns the error of a server that cannot listen into a `CallError`; returns any other error unchanged. */
export function explainListenError<E>(error: E, { host, port, option }: ListeningAddress): E | CallError {
  const code = systemErrorCode(error);
  const refuse = (part: 'host' | 'port', problem: string, remedy: string): CallError =>
    refuseUse(option ?? part, problem, remedy, { cause: error });
  switch (code) {
    case undefined:
      return error;
    case 'EADDRINUSE':
      return refuse('port', `port ${String(port)} of ${quoteText(host)} is in use`, 'give another, or 0 for any free one');
    case 'EACCES':
      return refuse('port', `this user may not listen on port ${String(port)}`, 'give one from 1024 on');
    case 'EADDRNOTAVAIL':
      return refuse('host', `${quoteText(host)} is not an address of this machine`, 'give one of its own, such as 127.0.0.1');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return refuse('host', `${quoteText(host)} does not resolve`, 'give a name or an address of this machine');
    default:
      return refuse('host', `the system reports ${code} for ${quoteText(host)}`, 'check host and port');
  }
}
