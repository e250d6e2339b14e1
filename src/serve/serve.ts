import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import { stampAt } from '../log/timestamp.js';
import type { Destination } from '../output/destination.js';
import { GroupWriter } from './group-writer.js';
import { pathOf } from '../requests/target.js';
import { listHandledPaths } from './handled-paths.js';
import { listen } from './listen.js';
import { formatGroupPage, formatRefusalPage, PAGE_HEADERS } from './page.js';
import { AnswersInTurn } from './answers-in-turn.js';
import { createSteadyClock } from './steady-clock.js';

/** How the service is to run. */
export interface ServeOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Under which paths the webmail is mounted, without slashes at their ends. */
  readonly prefixes: readonly string[];
  readonly deployment: Deployment;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Called once it listens, with the address: `http://127.0.0.1:8080/`. */
  readonly onListening: (address: string) => void;
  /** Called with a line about what is not as it should be. */
  readonly warn: (message: string) => void;
}

/** The only method that is specified (4). */
const METHOD = 'GET';

/** What `node:http` takes for a request may name another version, or none. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/**
 * `node:http` alone, and no framework: a set of paths, one method and one page need no router and no middleware, and what those
 * do to a target (decode it, normalise it) is just what must not happen to it. It tells what is no HTTP, what is
 * too long and what is too slow (`AnswersInTurn`); targets that it lets through hold bytes 0x21 to 0x7E only.
 */
const SERVER_LIMITS = {
  insecureHTTPParser: false,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  // How often connections are looked over for the two timeouts above.
  connectionsCheckingInterval: 5_000,
} as const;

/** One that neither sends nor takes anything for so long is closed. */
const SOCKET_TIMEOUT_MS = 60_000;

/** Each connection has one request in hand, unless it sends the next before the answer. More connections than this are closed. */
const MAX_CONNECTIONS = 4096;

/**
 * Serves the endpoints of section 4 until the signal is aborted: for each request that is handled a group with the present second
 * goes to the log, and then the answer to the client. At the end it accepts no more, and answers what it has.
 *
 * @throws CallError if it cannot listen; StoppedError if the log's reader goes away
 */
export async function serve(options: ServeOptions, log: Destination, signal: AbortSignal): Promise<void> {
  const clock = createSteadyClock(options.now, await findLogEnd(options, log));
  const writer = new GroupWriter(log.output, options.deployment, options.warn);
  const server = createServer(SERVER_LIMITS, createHandler(options.prefixes, clock, writer, signal));
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(SOCKET_TIMEOUT_MS);
  new AnswersInTurn(server, METHOD);
  options.onListening(await listen(server, options.host, options.port));
  const failure = await Promise.race([aborted(signal), writer.lost, failed(server)]);
  await stop(server, writer);
  if (failure !== undefined) throw new StoppedError(failure, log.output.written, undefined, log.output.noun);
}

/** Where the log that is appended to has come to, in milliseconds. New groups must not be before it (6.4). */
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
  const paths = listHandledPaths(prefixes);
  const notFound = formatRefusalPage(
    'Not found',
    `Handled are ${Array.from(paths).join(', ')}, with any query. Nothing was logged.`,
  );
  const notAllowed = formatRefusalPage('Method not allowed', `Handled is ${METHOD}. Nothing was logged.`);
  const notWritten = formatRefusalPage('Log not writable', 'The log does not take the group of this request.');
  const tooMany = formatRefusalPage('Too many requests', 'Too many requests are waiting for the log. Nothing was logged.');
  const otherVersion = formatRefusalPage('HTTP version not supported', 'Handled are HTTP/1.0 and HTTP/1.1. Nothing was logged.');
  const respond = (response: ServerResponse, status: number, page: string): void => {
    // Tells the client that the connection will not take another request.
    if (signal.aborted) response.shouldKeepAlive = false;
    response.writeHead(status, [...PAGE_HEADERS, 'Content-Length', String(page.length)]);
    response.end(page, 'latin1');
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: target = '', httpVersion } = request;
    if (!VERSIONS.has(httpVersion)) {
      respond(response, 505, otherVersion);
    } else if (!paths.has(pathOf(target))) {
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

/** Resolves with what keeps a server from accepting connections. */
function failed(server: Server): Promise<Error> {
  return new Promise((resolve) => server.on('error', resolve));
}

/** Accepts no more, answers the requests that have come, and then waits for no client: neither a slow one, nor one that is idle. */
async function stop(server: Server, writer: GroupWriter): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await writer.idle();
  // The last answers have been handed to the system when this turn of the event loop has passed.
  await setImmediate();
  server.closeAllConnections();
  await closed;
}
