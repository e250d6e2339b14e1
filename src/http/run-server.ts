import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { listen, type ListeningAddress } from './listen.js';

export interface ServerOptions extends ListeningAddress {
  /** Called with the address once the server listens: `http://127.0.0.1:8080/`. */
  readonly onListening: (address: string) => void;
}

export interface Service {
  handle(request: IncomingMessage, response: ServerResponse): void;
  readonly allow: string;
  /** True if requests are answered once their bodies are whole: a broken body is then answered here. */
  readonly awaitsBodies: boolean;
  readonly keepAliveMs: number;
  /** Resolves with the error that ends the service. */
  readonly lost: Promise<Error>;
  /** Resolves once all requests that have arrived whole are answered. */
  finish(): Promise<void>;
}

/** `node:http` is used without a framework: middleware would decode targets and bodies. It refuses targets with bytes other than 0x21 to 0x7E. */
const SERVER_LIMITS = {
  insecureHTTPParser: false,
  maxHeaderSize: 32_768,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** A connection that neither sends nor takes anything for this long is closed. */
export const SOCKET_TIMEOUT_MS = 60_000;

/** For clients to take the rest of their answers at the end. */
const LAST_ANSWERS_MS = 1000;

export const MAX_CONNECTIONS = 4096;

/**
 * Runs a server until a signal, or the error that ends its service. Then it accepts no more, and answers what has arrived.
 * @returns the error that ended it; undefined for the signal
 * @throws CallError if the server cannot listen
 */
export async function runServer(options: ServerOptions, service: Service, signal: AbortSignal): Promise<Error | undefined> {
  const server = createServer({ ...SERVER_LIMITS, keepAliveTimeout: service.keepAliveMs }, (request, response) => {
    service.handle(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(SOCKET_TIMEOUT_MS);
  answerInTurn(server, service);
  options.onListening(`http://${await listen(server, options)}/`);
  // An error keeps the server from accepting connections.
  const failed = new Promise<Error>((resolve) => server.on('error', resolve));
  const failure = await Promise.race([aborted(signal), service.lost, failed]);
  const closed = once(server, 'close');
  server.close();
  await service.finish();
  await Promise.race([closed, setTimeout(LAST_ANSWERS_MS, undefined, { ref: false })]);
  server.closeAllConnections();
  await closed;
  return failure;
}

export async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Statuses by the error that `node:http` reports of a connection; 400 for any other. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers what `node:http` does not report as a request, and closes the connection: bytes that are not HTTP (400, 408, 413, 431), and CONNECT
 * (405). Earlier requests on the connection are answered first: the client would take this answer for theirs.
 */
function answerInTurn(server: Server, { allow, awaitsBodies }: Service): void {
  /** Of each connection. Responses are sent in the order of requests. */
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
    const head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${headers}`;
    if (socket.writable) socket.end(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
    else socket.destroy();
  };

  server.on('request', (request, response) => {
    latest.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    void refuse(socket, STATUSES[error.code ?? ''] ?? 400, '');
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined);
    void refuse(socket, 405, `Allow: ${allow}\r\n`);
  });
}
