import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { answerInTurn, type Answering } from './answer-in-turn.js';
import { listen, type ListeningAddress } from './listen.js';

export interface ServerOptions extends ListeningAddress {
  /** Called once the server listens, with its address: `http://127.0.0.1:8080/`. */
  readonly onListening: (address: string) => void;
}

export interface Service extends Answering {
  /** Answers a request. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** A connection without a request is closed after this time. */
  readonly keepAliveMs: number;
  /** Resolves with the error that ends the service. */
  readonly lost: Promise<Error>;
  /** Resolves once all requests that have arrived whole are answered. */
  finish(): Promise<void>;
}

/** `node:http` also reports requests of other versions, or of none. */
export const HTTP_VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/**
 * The limits of `node:http`, which is used without a framework: middleware would decode targets and bodies, which are written as
 * received. It also refuses requests that are malformed (see `answerInTurn`), and targets with bytes other than 0x21 to 0x7E.
 */
const SERVER_LIMITS = {
  insecureHTTPParser: false,
  maxHeaderSize: 32_768,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // The interval at which connections are checked for the two timeouts above.
  connectionsCheckingInterval: 5_000,
} as const;

/** A connection that neither sends nor takes anything for this long is closed. */
export const SOCKET_TIMEOUT_MS = 60_000;

/** At the end, clients have this long to take what is left of their answers. */
const LAST_ANSWERS_MS = 1000;

/** Bounds the requests that are being handled. Further connections are closed. */
export const MAX_CONNECTIONS = 4096;

/**
 * Runs a server until a signal, or the error that ends its service. Then it accepts no more, and answers what has arrived.
 *
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
  const failure = await Promise.race([aborted(signal), service.lost, failed(server)]);
  await stop(server, service);
  return failure;
}

export async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Resolves with the error that keeps a server from accepting connections. */
function failed(server: Server): Promise<Error> {
  return new Promise((resolve) => server.on('error', resolve));
}

/** Answers the requests that have arrived, then closes all connections, those of slow and idle clients too. */
async function stop(server: Server, service: Service): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await service.finish();
  await Promise.race([closed, setTimeout(LAST_ANSWERS_MS, undefined, { ref: false })]);
  server.closeAllConnections();
  await closed;
}
