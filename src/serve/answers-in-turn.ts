import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';

/** What `node:http` reports of a connection, and the status that says so; 400 for anything else. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/**
 * Answers what `node:http` hands over instead of a request: bytes that are none (400, 408, 413, 431), and CONNECT (405), a method as
 * any other here. Not before the answers to the requests that came before it on the connection: their groups are in the log, and
 * the first answer would be taken for theirs. The connection ends with it.
 */
export class AnswersInTurn {
  /** The answer to the latest request of each connection. Answers are given in the order of requests. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();

  /** @param method the one that is allowed */
  constructor(server: Server, method: string) {
    server.on('request', ({ socket }, response) => {
      this.#latest.set(socket, response);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const status = STATUSES.get(error.code ?? '') ?? 400;
      void this.#refuse(socket, status, '');
    });
    server.on('connect', (_request, socket) => {
      socket.on('error', () => undefined);
      void this.#refuse(socket, 405, `Allow: ${method}\r\n`);
    });
  }

  async #refuse(socket: Duplex, status: number, headers: string): Promise<void> {
    // What goes on to come is no HTTP either.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const before = this.#latest.get(socket);
    // A client that has gone takes no answer.
    if (before !== undefined) await finished(before).catch(() => undefined);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${headers}`;
    socket.end(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
  }
}
