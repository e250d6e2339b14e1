import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Statuses by the code of the error that `node:http` reports of a connection; 400 for any other. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** The parts of a service that decide what else is answered. */
export interface Answering {
  /** The methods that are allowed, for the header `Allow`. */
  readonly allow: string;
  /** True if requests are answered once their bodies are whole: a broken body is then answered here. */
  readonly awaitsBodies: boolean;
}

/**
 * Answers what `node:http` does not report as a request: bytes that are not HTTP (400, 408, 413, 431), and CONNECT (405), which
 * is a method like any other here. The answer waits for those to earlier requests on the connection: the client would take the
 * first answer for theirs. Then the connection is closed.
 */
export function answerInTurn(server: Server, { allow, awaitsBodies }: Answering): void {
  /** The latest response of each connection. Responses are sent in the order of requests. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();

  const refuse = async (socket: Duplex, status: number, headers: string): Promise<void> => {
    // The bytes that follow are not HTTP either.
    if (refused.has(socket)) return;
    refused.add(socket);
    const response = latest.get(socket);
    if (awaitsBodies && response?.req.complete === false) {
      if (response.headersSent) socket.destroy();
      else response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
      return;
    }
    // A client that has gone does not take an answer.
    if (response !== undefined) await finished(response).catch(() => undefined);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${headers}`;
    socket.end(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
  };

  server.on('request', (request, response) => {
    latest.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    void refuse(socket, STATUSES.get(error.code ?? '') ?? 400, '');
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined);
    void refuse(socket, 405, `Allow: ${allow}\r\n`);
  });
}
