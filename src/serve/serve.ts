import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import { stampAt } from '../log/timestamp.js';
import type { Destination } from '../output/destination.js';
import { answerInTurn } from './answer-in-turn.js';
import { GroupWriter } from './group-writer.js';
import { pathOf } from '../requests/target.js';
import { isHandledPath, listHandledPaths } from './handled-paths.js';
import { listen } from './listen.js';
import { formatGroupPage, formatRefusalPage, PAGE_HEADERS } from './page.js';
import { createSteadyClock } from './steady-clock.js';

/** The options of the service. */
export interface ServeOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The paths under which the webmail is mounted, without slashes at their ends. */
  readonly prefixes: readonly string[];
  readonly deployment: Deployment;
  /** The wall clock: Unix time in milliseconds. */
  readonly now: () => number;
  /** Called once the server listens, with its address: `http://127.0.0.1:8080/`. */
  readonly onListening: (address: string) => void;
  /** Takes a line about something that is wrong. */
  readonly warn: (message: string) => void;
}

/** The only method that is specified (4). */
const METHOD = 'GET';

/** Versions of HTTP that are answered; `node:http` also reports requests of other versions, or of none. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/**
 * The limits of `node:http`, which is used without a framework: a set of paths, one method and one page need no router, and
 * middleware would decode the target, which is logged as received. `node:http` refuses requests that are malformed, too long or
 * too slow (see `answerInTurn`), and all targets with bytes other than 0x21 to 0x7E.
 */
const SERVER_LIMITS = {
  insecureHTTPParser: false,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  // The interval at which connections are checked for the two timeouts above.
  connectionsCheckingInterval: 5_000,
} as const;

/** A connection that neither sends nor takes anything for this long is closed. */
const SOCKET_TIMEOUT_MS = 60_000;

/**
 * Bounds the requests that are being handled: one a connection, unless it sends the next before the answer. Further connections
 * are closed.
 */
const MAX_CONNECTIONS = 4096;

/**
 * Serves the endpoints of section 4: for each request that is handled, a group with the present second is written to the log, and
 * then the answer is sent. When the signal is aborted, the server accepts no more requests and answers those that have arrived.
 *
 * @param signal ends the service
 * @throws CallError if the server cannot listen; StoppedError if the reader of the log goes away
 */
export async function serve(options: ServeOptions, log: Destination, signal: AbortSignal): Promise<void> {
  const clock = createSteadyClock(options.now, await findLogEnd(options, log));
  const writer = new GroupWriter(log, options.deployment, options.warn);
  const server = createServer(SERVER_LIMITS, createHandler(options.prefixes, clock, writer, signal));
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(SOCKET_TIMEOUT_MS);
  answerInTurn(server, METHOD);
  options.onListening(await listen(server, options.host, options.port));
  const failure = await Promise.race([aborted(signal), writer.lost, failed(server)]);
  await stop(server, writer);
  if (failure !== undefined) throw new StoppedError(failure, log.written, undefined, log.noun);
}

/**
 * The time of the last load failure in the log that is appended to, in milliseconds, or 0: new groups must not be earlier (6.4).
 */
async function findLogEnd({ deployment, now, warn }: ServeOptions, log: Destination): Promise<number> {
  const second = await log.findLastSecond();
  if (second === undefined) return 0;
  if (second * 1000 > now()) {
    const { timestamp, utcOffset } = stampAt(second, deployment);
    warn(
      `the log ends at ${timestamp} ${utcOffset}, which is yet to come; groups carry that time until the clock has reached it`,
    );
  }
  return second * 1000;
}

function createHandler(
  prefixes: readonly string[],
  clock: () => number,
  writer: GroupWriter,
  signal: AbortSignal,
): RequestListener {
  const notFound = formatRefusalPage(
    'Not found',
    `Handled are ${listHandledPaths(prefixes).join(', ')}, with any query. Nothing was logged.`,
  );
  const notAllowed = formatRefusalPage('Method not allowed', `Handled is ${METHOD}. Nothing was logged.`);
  const notWritten = formatRefusalPage('Log not writable', 'The log does not take the group of this request.');
  const tooMany = formatRefusalPage('Too many requests', 'Too many requests are waiting for the log. Nothing was logged.');
  const otherVersion = formatRefusalPage('HTTP version not supported', 'Handled are HTTP/1.0 and HTTP/1.1. Nothing was logged.');
  const respond = (response: ServerResponse, status: number, page: string): void => {
    // The client is told that the connection takes no further request.
    if (signal.aborted) response.shouldKeepAlive = false;
    response.writeHead(status, [...PAGE_HEADERS, 'Content-Length', String(page.length)]);
    response.end(page, 'latin1');
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: target = '', httpVersion } = request;
    if (!VERSIONS.has(httpVersion)) {
      respond(response, 505, otherVersion);
    } else if (!isHandledPath(pathOf(target), prefixes)) {
      respond(response, 404, notFound);
    } else if (method !== METHOD) {
      respond(response.setHeader('Allow', METHOD), 405, notAllowed);
    } else {
      const isTaken = writer.append({ millisecond: clock(), method, target }, (group) => {
        if (group === undefined) respond(response, 503, notWritten);
        else respond(response, 200, formatGroupPage(group));
      });
      if (!isTaken) respond(response, 503, tooMany);
    }
  };
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Resolves with the error that keeps a server from accepting connections. */
function failed(server: Server): Promise<Error> {
  return new Promise((resolve) => server.on('error', resolve));
}

/** Closes a server: answers the requests that have arrived, then closes all connections, those of slow and idle clients too. */
async function stop(server: Server, writer: GroupWriter): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await writer.idle();
  // The last answers are handed to the system by the end of this turn of the event loop.
  await setImmediate();
  server.closeAllConnections();
  await closed;
}
