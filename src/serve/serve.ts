import { STATUS_CODES, type RequestListener, type ServerResponse } from 'node:http';
import { StoppedError } from '../errors.js';
import { AnsweringWriter } from '../http/answering-writer.js';
import { rendererIn } from '../envelope/envelope-writer.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import { runServer, type ServerOptions } from '../http/run-server.js';
import type { Deployment } from '../log/deployment.js';
import { formatStamp, stampAt } from '../log/timestamp.js';
import type { Destination } from '../output/destination.js';
import type { Piece } from '../output/piece.js';
import { pathOf } from '../requests/target.js';
import { formatGroupPage, formatRefusalPage, PAGE_HEADERS } from './page.js';

export interface ServeOptions extends ServerOptions {
  /** The paths under which the webmail is mounted, without slashes at their ends. */
  readonly prefixes: readonly string[];
  readonly deployment: Deployment;
  readonly envelope?: EnvelopeName | undefined;
  /** The wall clock: Unix time in milliseconds. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** The only method that is specified (4). */
const METHOD = 'GET';

const KEEP_ALIVE_MS = 5_000;

/**
 * Serves the endpoints of section 4: for each request that is handled, a group with the present second is written to the log, and
 * then the answer is sent. When the signal is aborted, the server accepts no more requests and answers those that have arrived.
 * @param signal ends the service
 * @throws CallError if the server cannot listen; StoppedError if the reader of the log goes away
 */
export async function serve(options: ServeOptions, log: Destination, signal: AbortSignal): Promise<void> {
  let latest = await findLogEnd(options, log);
  // A time never steps back (6.4): while the system clock is behind a time already shown, that one is shown.
  const clock = (): number => (latest = Math.max(latest, options.now()));
  const writer = new AnsweringWriter(log, options.warn);
  const renderer = rendererIn(options.envelope, options.deployment);
  const handled = handledPathsOf(options.prefixes);
  const respond = (response: ServerResponse, status: number, page: string): void => {
    // The client is told that the connection takes no further request.
    if (signal.aborted) response.shouldKeepAlive = false;
    response.writeHead(status, { ...PAGE_HEADERS, 'Content-Length': page.length }).end(page, 'latin1');
  };
  const refuse = (response: ServerResponse, status: number, explanation: string): void => {
    respond(response, status, formatRefusalPage(STATUS_CODES[status] ?? '', explanation));
  };
  const handle: RequestListener = ({ method, url: target = '', httpVersion }, response) => {
    // Requests of other versions, or of none, are reported too.
    if (httpVersion !== '1.0' && httpVersion !== '1.1')
      refuse(response, 505, 'Only HTTP/1.0 and HTTP/1.1 are handled. Nothing was logged.');
    else if (!handled.includes(pathOf(target)))
      refuse(response, 404, `The paths that are handled: ${handled.join(', ')}, with any query. Nothing was logged.`);
    else if (method !== METHOD)
      refuse(response.setHeader('Allow', METHOD), 405, `Only ${METHOD} is handled. Nothing was logged.`);
    else {
      const logged = { millisecond: clock(), method, target };
      const render = (): Piece => ({ bytes: renderer.render(logged), count: 1, origin: {} });
      void writer.write(render).then((outcome) => {
        if (outcome === 'written') respond(response, 200, formatGroupPage(Buffer.from(renderer.render(logged))));
        else if (outcome === 'full') refuse(response, 503, 'Too many requests are waiting for the log. Nothing was logged.');
        else refuse(response, 503, 'The log does not take the group of this request.');
      });
    }
  };
  const service = { handle, allow: METHOD, awaitsBodies: false, keepAliveMs: KEEP_ALIVE_MS };
  const failure = await runServer(options, { ...service, lost: writer.lost, finish: () => writer.idle() }, signal);
  if (failure !== undefined) throw new StoppedError(failure, log.written, undefined, log.noun);
}

/** The time of the last load failure in the log that is appended to, in milliseconds, or 0: new groups must not be earlier (6.4). */
async function findLogEnd({ deployment, now, warn }: ServeOptions, log: Destination): Promise<number> {
  const second = await log.findLastSecond();
  if (second === undefined) return 0;
  if (second * 1000 > now()) {
    const time = formatStamp(stampAt(second, deployment));
    warn(`the log ends at ${time}, which is yet to come; groups carry that time until the clock has reached it`);
  }
  return second * 1000;
}

export function handledPathsOf(prefixes: readonly string[]): readonly string[] {
  return prefixes.flatMap((prefix) => ['/', '/index.php', '/public_html/index.php'].map((path) => `/${prefix}${path}`));
}
