import type { IncomingMessage, ServerResponse } from 'node:http';
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { StoppedError, type NameOption } from '../errors.js';
import { AnsweringWriter, type Outcome } from '../http/answering-writer.js';
import { aborted, runServer, type Service } from '../http/run-server.js';
import type { Destination } from '../output/destination.js';
import { Packet, PIPE_PACKET_BYTES } from '../output/piece.js';
import { partsOf, pathOf } from '../requests/target.js';
import { Backends, readEvents } from './backends.js';
import { readBody, unpackBody, type HeldBytes, refusedBy, RefusedError } from './bodies.js';
import { drawFailures, type FailureOptions, type Failures } from './failures.js';
import { LineBuffer, piecesOf } from './lines.js';
import type { Protocol, Reply, RequestHead } from './protocols.js';
import { MessageSockets, type SocketOptions } from './sockets.js';

export interface ReceiveOptions extends SocketOptions, FailureOptions {
  readonly host: string;
  /** The port for HTTP, 0 picks a free one; undefined for none. */
  readonly port: number | undefined;
  readonly nameOption: NameOption;
}

const ALIKE: Readonly<Record<string, string>> = { HEAD: 'GET', PUT: 'POST' };

/** Collectors keep connections; a client that sends just when its connection is closed may take the request for lost. */
const KEEP_ALIVE_MS = 60_000;

/** Requests without an answer, at most: some 10 kB each. */
export const MAX_IN_HAND = 16_384;

const TOO_MANY = 'too many requests are waiting; send again later';

const METHODS = 'POST, PUT';

/** Gives the answer to a request once its lines stand; undefined for a connection that is to be closed without one. */
type Answer = () => Reply | Promise<Reply | undefined>;

/**
 * Takes events over HTTP, as the backends of log collectors do: the lines of a request are written, and then the answer is sent. Takes
 * messages over TCP and UDP, without an answer. When the signal is aborted, nothing more is accepted, and what has arrived is written.
 * @param signal ends the service
 * @throws CallError if it cannot listen; StoppedError if the reader of the output goes away
 */
export async function receive(options: ReceiveOptions, output: Destination, signal: AbortSignal): Promise<void> {
  const { port, warn, nameOption } = options;
  const writer = new AnsweringWriter(output, warn, port !== undefined);
  const held: HeldBytes = { bytes: 0 };
  const failures = drawFailures(options);
  const sockets = new MessageSockets(options, writer, held);
  let failure: Error | undefined;
  try {
    await sockets.listen();
    failure =
      port === undefined
        ? await Promise.race([aborted(signal), writer.lost])
        : await runServer({ ...options, port }, createService(options, writer, held, failures, signal), signal);
  } finally {
    await sockets.close();
  }
  for (const message of failures.describe(nameOption)) warn(message);
  if (failure !== undefined) throw new StoppedError(failure, output.written, undefined, output.noun);
}

/** Handles requests: the lines of one at a time, in the order in which their bodies are whole. */
function createService(
  { maxFileBytes, failItems, delay = 0 }: ReceiveOptions,
  writer: AnsweringWriter,
  held: HeldBytes,
  failures: Failures,
  signal: AbortSignal,
): Service {
  const backends = new Backends();
  const lines = new LineBuffer();
  // Lines of more bytes are several pieces, unless they fit into the file.
  const pieceBytes = Math.min(PIPE_PACKET_BYTES, maxFileBytes);
  /** Resolves once all requests that have arrived whole are handed to the writer. */
  let turn: Promise<unknown> = Promise.resolve();
  /** The number of requests without an answer; a connection may have several. */
  let inHand = 0;
  // Each answer that is delayed listens.
  setMaxListeners(0, signal);

  const hold = (bytes: number, until: Promise<unknown>): void => {
    held.bytes += bytes;
    void until.then(() => (held.bytes -= bytes));
  };

  const wait = async (): Promise<void> => {
    if (delay > 0) await setTimeout(delay, undefined, { signal, ref: false }).catch(() => undefined);
  };

  /** Has the lines written: a copy of them if they are few, so that the next request may have lines. */
  const write = async (): Promise<Outcome> => {
    const { bytes, count } = lines;
    if (count === 0) return 'written';
    if (bytes.length <= pieceBytes) {
      const piece = { bytes: Buffer.from(bytes), count, origin: {} };
      const written = writer.write(() => piece);
      hold(bytes.length, written);
      return written;
    }
    const packet = new Packet(bytes);
    for (const piece of piecesOf(bytes, bytes.length <= maxFileBytes ? bytes.length : pieceBytes))
      packet.endPiece(piece.bytes.length, piece.count);
    return writer.write(() => packet);
  };

  /** Reads the events of a body. Returns once the next request may have lines. @throws RefusedError, BrokenJsonError */
  const take = async (protocol: Protocol, head: RequestHead, body: Buffer, response: ServerResponse): Promise<Answer> => {
    const bytes = body.length === 0 ? body : await unpackBody(body, head.encoding);
    const asked = backends.answer(head, bytes);
    if (asked !== undefined) return () => asked;
    if (head.method !== 'POST') throw new RefusedError(405, 'the method is not allowed; send POST or PUT');
    lines.begin(bytes);
    const { answer, refuse } = await readEvents(protocol, bytes, lines, head);
    if (lines.count === 0) return answer;
    const fate = failures.next();
    if (fate === 'fail') return () => wait().then(() => failures.replyTo(head, protocol));
    if (refuse !== undefined) {
      // The answer names each document: it takes a byte of each until it is sent, or its client has gone.
      const sent = finished(response).catch(() => undefined);
      hold(lines.count, sent);
      if (failItems > 0)
        lines.remove((line) => {
          const isRefused = failures.refusesItem();
          if (isRefused) refuse(line);
          return isRefused;
        });
    }
    const written = write();
    // Lines that were not copied stand before the next request may have lines.
    if (lines.bytes.length > pieceBytes) await written;
    return async () => {
      const outcome = await written;
      await wait();
      if (outcome === 'full') throw new RefusedError(429, TOO_MANY);
      if (outcome === 'failed') throw new RefusedError(503, 'the output does not take lines; send again later');
      return fate === 'lose' ? undefined : answer();
    };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const head = readHead(request);
    const protocol = backends.protocolOf(head.path);
    try {
      if (inHand > MAX_IN_HAND) throw new RefusedError(429, TOO_MANY);
      const body = head.method === 'POST' ? await readBody(request, held) : Buffer.alloc(0);
      if (body === undefined) return;
      const taken = turn.then(() => take(protocol, head, body, response)).finally(() => (held.bytes -= body.length));
      turn = taken.catch(() => undefined);
      const answer = await taken;
      send(response, await answer(), signal);
    } catch (error) {
      const { status, message } = refusedBy(error);
      if (status === 405) response.setHeader('Allow', METHODS);
      send(response, protocol.refuse(status, message, head), signal);
    }
  };

  return {
    allow: METHODS,
    awaitsBodies: true,
    keepAliveMs: KEEP_ALIVE_MS,
    lost: writer.lost,
    handle: (request, response) => {
      inHand += 1;
      void respond(request, response).finally(() => (inHand -= 1));
    },
    finish: async () => {
      for (let last; last !== turn;) {
        last = turn;
        await last;
      }
      await writer.idle();
    },
  };
}

/** Sends an answer, or closes the connection without one. @param signal aborted at the end */
function send(response: ServerResponse, reply: Reply | undefined, signal: AbortSignal): void {
  if (reply === undefined) {
    response.destroy();
    return;
  }
  // The client is told that the connection takes no further request.
  if (signal.aborted) response.shouldKeepAlive = false;
  const { status, type, headers = [], body } = reply;
  const { req: request } = response;
  if (status === 204) response.writeHead(status).end();
  else if (typeof body !== 'string') {
    response.writeHead(status, ['Content-Type', type, ...headers]);
    // A client that has gone does not take its answer, which is no fault.
    void pipeline(Readable.from(body), response).catch(() => undefined);
  } else {
    response.writeHead(status, ['Content-Type', type, ...headers, 'Content-Length', String(body.length)]);
    response.write(body, 'latin1');
    // The rest of a body is read first: a connection that is closed while its client sends is reset, and the answer with it.
    if (request.complete) response.end();
    else request.resume().once('end', () => response.end());
  }
}

function readHead({ url = '', method = '', headers }: IncomingMessage): RequestHead {
  const path = pathOf(url);
  return {
    method: ALIKE[method] ?? method,
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: partsOf(url).query ?? '',
    type: (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    accept: headers.accept ?? '',
    encoding: (headers['content-encoding'] ?? '').trim().toLowerCase(),
    channel: String(headers['x-splunk-request-channel'] ?? ''),
  };
}
