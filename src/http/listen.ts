import type { Server } from 'node:http';
import { CallError, systemErrorCode } from '../errors.js';
import { quoteText } from '../wording.js';

/**
 * Makes a server listen.
 *
 * @param port 0 picks a free one
 * @param option the option that gives both, where there is one
 * @returns the address of the server: `http://127.0.0.1:8080/`
 * @throws CallError that names the option at fault
 */
export async function listen(server: Server, host: string, port: number, option?: string): Promise<string> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw explainListenError(error, host, port, option);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return '';
  const shownHost = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${shownHost}:${String(bound.port)}/`;
}

function explainListenError(error: unknown, host: string, port: number, option: string | undefined): unknown {
  const code = systemErrorCode(error);
  const fail = (part: '--host' | '--port', problem: string, remedy: string): CallError =>
    new CallError({ source: option ?? part }, problem, remedy, { cause: error });
  switch (code) {
    case undefined:
      return error;
    case 'EADDRINUSE':
      return fail('--port', `port ${String(port)} of ${quoteText(host)} is in use`, 'give another, or 0 for any free one');
    case 'EACCES':
      return fail('--port', `this user may not listen on port ${String(port)}`, 'give one from 1024 on');
    case 'EADDRNOTAVAIL':
      return fail('--host', `${quoteText(host)} is not an address of this machine`, 'give one of its own, such as 127.0.0.1');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail('--host', `${quoteText(host)} does not resolve`, 'give a name or an address of this machine');
    default:
      return fail('--host', `the system reports ${code} for ${quoteText(host)}`, 'check host and port');
  }
}
