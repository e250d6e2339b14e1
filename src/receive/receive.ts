import type { IncomingMessage, ServerResponse } from 'node:http';
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { StoppedError, type NameOption } from '../errors.js';
import { AnsweringWriter, type Outcome } from '../http/answering-writer.js';
import { aborted, runServer, type Service } from '../http/run-server.js';
import type { Destination } from '../output/destination.js';
import { Packet, PIPE_PACKET_BYTES } from '../output/packet.js';
import { partsOf, pathOf } from '../requests/target.js';
import { Backends, readEvents } from './backends.js';
import { readBody, unpackBody, type HeldBytes, refusedBy, RefusedError } from './bodies.js';
import { Failures, type FailureOptions } from './failures.js';
import { LineBuffer, piecesOf } from './lines.js';
import type { Protocol, Reply, RequestHead } from './protocols.js';
import { MessageSockets, type SocketOptions } from './sockets.js';

export interface ReceiveOptions extends SocketOptions, FailureOptions {
  readonly host: string;
  /** The port for HTTP, 0 picks a free one; undefined for none. */
  readonly port: number | undefined;
  /** Names the options of failures on purpose. */
  readonly nameOption: NameOption;
}

const ALIKE: Readonly<Record<string, string>> = { HEAD: 'GET', PUT: 'POST' };

/** Collectors keep connections; a client that sends just when its connection is closed may take the request for lost. */
const KEEP_ALIVE_MS = 60_000;

/** Requests without an answer, at most: some 10 kB each. */
export const MAX_IN_HAND = 16_384;

const TOO_MANY = 'too many requests are waiting; send again later';

/** Gives the answer to a request once its lines stand; undefined for a connection that is to be closed without one. */
type Answer = () => Reply | Promise<Reply | undefined>;

/**
 * Takes events over HTTP, as the backends of log collectors do: the lines of a request are written, and then the answer is sent. Takes
 * messages over TCP and UDP, without an answer. When the signal is aborted, nothing more is accepted, and what has arrived is written.
 *
 * @param signal ends the service
 * @throws CallError if it cannot listen; StoppedError if the reader of the output goes away
 */
export async function receive(options: ReceiveOptions, output: Destination, signal: AbortSignal): Promise<void> {
  const { port, warn, nameOption } = options;
  const writer = new AnsweringWriter(output, warn, port !== undefined);
  const held: HeldBytes = { bytes: 0 };
  const sockets = new MessageSockets(options, writer, held);
  const intake = new Intake(options, writer, held, signal);
  let failure: Error | undefined;
  try {
    await sockets.listen();
    failure =
      port === undefined
        ? await Promise.race([aborted(signal), writer.lost])
        : await runServer({ ...options, port }, intake, signal);
  } finally {
    await sockets.close();
  }
  for (const message of intake.failures.describe(nameOption)) warn(message);
  if (failure !== undefined) throw new StoppedError(failure, output.written, undefined, output.noun);
}

/** Handles requests: the lines of one at a time, in the order in which their bodies are whole. */
class Intake implements Service {
  readonly allow = 'POST, PUT';
  readonly awaitsBodies = true;
  readonly keepAliveMs = KEEP_ALIVE_MS;
  readonly lost: Promise<Error>;
  readonly failures: Failures;
  readonly #options: ReceiveOptions;
  readonly #signal: AbortSignal;
  readonly #writer: AnsweringWriter;
  readonly #backends = new Backends();
  readonly #held: HeldBytes;
  readonly #lines = new LineBuffer();
  /** Lines of more bytes are several pieces, unless they fit into the file. */
  readonly #pieceBytes: number;
  /** Resolves once all requests that have arrived whole are handed to the writer. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The number of requests without an answer; a connection may have several. */
  #inHand = 0;

  constructor(options: ReceiveOptions, writer: AnsweringWriter, held: HeldBytes, signal: AbortSignal) {
    this.#options = options;
    this.#writer = writer;
    this.lost = writer.lost;
    this.#held = held;
    this.#signal = signal;
    this.#pieceBytes = Math.min(PIPE_PACKET_BYTES, options.maxFileBytes);
    this.failures = new Failures(options);
    // Each answer that is delayed listens.
    setMaxListeners(0, signal);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#inHand += 1;
    void this.#respond(request, response).finally(() => (this.#inHand -= 1));
  }

  async finish(): Promise<void> {
    for (let turn; turn !== this.#turn;) {
      turn = this.#turn;
      await turn;
    }
    await this.#writer.idle();
  }

  /** Answers a request. Whatever is refused in it ends here. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const head = readHead(request);
    const protocol = this.#backends.protocolOf(head.path);
    try {
      if (this.#inHand > MAX_IN_HAND) throw new RefusedError(429, TOO_MANY);
      const body = head.method === 'POST' ? await readBody(request, this.#held) : Buffer.alloc(0);
      if (body === undefined) return;
      const turn = this.#turn.then(() => this.#process(protocol, head, body, response));
      this.#turn = turn.catch(() => undefined);
      const answer = await turn;
      this.#send(response, await answer());
    } catch (error) {
      const { status, message } = refusedBy(error);
      if (status === 405) response.setHeader('Allow', this.allow);
      this.#send(response, protocol.refuse(status, message, head));
    }
  }

  /** Reads the events of a body. Returns once the next request may have lines. @throws RefusedError, BrokenJsonError */
  async #process(protocol: Protocol, head: RequestHead, body: Buffer, response: ServerResponse): Promise<Answer> {
    try {
      const bytes = body.length === 0 ? body : await unpackBody(body, head.encoding);
      const asked = this.#backends.answer(head, bytes);
      if (asked !== undefined) return () => asked;
      if (head.method !== 'POST') throw new RefusedError(405, 'the method is not allowed; send POST or PUT');
      this.#lines.begin(bytes);
      const { answer, refuse } = await readEvents(protocol, bytes, this.#lines, head);
      if (this.#lines.count === 0) return answer;
      const fate = this.failures.next();
      if (fate === 'fail') return () => this.#delay().then(() => this.failures.replyTo(head, protocol));
      if (refuse !== undefined) this.#refuseItems(refuse, response);
      const written = this.#write();
      // Lines that were not copied stand before the next request may have lines.
      if (this.#lines.bytes.length > this.#pieceBytes) await written;
      return async () => {
        const outcome = await written;
        await this.#delay();
        if (outcome === 'full') throw new RefusedError(429, TOO_MANY);
        if (outcome === 'failed') throw new RefusedError(503, 'the output does not take lines; send again later');
        return fate === 'lose' ? undefined : answer();
      };
    } finally {
      this.#held.bytes -= body.length;
    }
  }

  /** Refuses documents on purpose. The answer names each document: it takes a byte of each until it is sent. */
  #refuseItems(refuse: (event: number) => void, response: ServerResponse): void {
    // A client may have gone before.
    this.#hold(
      this.#lines.count,
      finished(response).catch(() => undefined),
    );
    if (this.#options.failItems === 0) return;
    this.#lines.remove((line) => {
      const isRefused = this.failures.refusesItem();
      if (isRefused) refuse(line);
      return isRefused;
    });
  }

  /** Has the lines written: a copy of them if they are few, so that the next request may have lines. */
  async #write(): Promise<Outcome> {
    const { bytes, count } = this.#lines;
    if (count === 0) return 'written';
    if (bytes.length <= this.#pieceBytes) {
      const piece = { bytes: Buffer.from(bytes), count, origin: {} };
      const written = this.#writer.write(() => piece);
      this.#hold(bytes.length, written);
      return written;
    }
    const { maxFileBytes } = this.#options;
    const packet = new Packet(bytes);
    for (const piece of piecesOf(bytes, bytes.length <= maxFileBytes ? bytes.length : this.#pieceBytes))
      packet.endPiece(piece.bytes.length, piece.count);
    return this.#writer.write(() => packet);
  }

  #hold(bytes: number, until: Promise<unknown>): void {
    this.#held.bytes += bytes;
    void until.then(() => (this.#held.bytes -= bytes));
  }

  async #delay(): Promise<void> {
    const { delay = 0 } = this.#options;
    if (delay > 0) await setTimeout(delay, undefined, { signal: this.#signal, ref: false }).catch(() => undefined);
  }

  #send(response: ServerResponse, reply: Reply | undefined): void {
    if (reply === undefined) {
      response.destroy();
      return;
    }
    // The client is told that the connection takes no further request.
    if (this.#signal.aborted) response.shouldKeepAlive = false;
    const { status, type, headers = [], body } = reply;
    const { req: request } = response;
    if (status === 204) {
      response.writeHead(status).end();
    } else if (typeof body !== 'string') {
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
