import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { refuseUse, systemErrorCode, type CallError } from '../errors.js';
import { quoteText } from '../wording.js';

export interface ListeningAddress {
  readonly host: string;
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
  if (code === undefined) return error;
  const [shownHost, shownPort] = [quoteText(host), String(port)];
  const unresolved = ['host', `${shownHost} does not resolve`, 'give a name or an address of this machine'] as const;
  const problems: Readonly<Record<string, readonly ['host' | 'port', problem: string, remedy: string]>> = {
    EADDRINUSE: ['port', `port ${shownPort} of ${shownHost} is in use`, 'give another, or 0 for any free one'],
    EACCES: ['port', `this user may not listen on port ${shownPort}`, 'give one from 1024 on'],
    EADDRNOTAVAIL: ['host', `${shownHost} is not an address of this machine`, 'give one of its own, such as 127.0.0.1'],
    ENOTFOUND: unresolved,
    EAI_AGAIN: unresolved,
  };
  const unknown = ['host', `the system reports ${code} for ${shownHost}`, 'check host and port'] as const;
  const [part, problem, remedy] = problems[code] ?? unknown;
  return refuseUse(option ?? part, problem, remedy, { cause: error });
}
