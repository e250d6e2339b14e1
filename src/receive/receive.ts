import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { StoppedError, type NameOption } from '../errors.js';
import { AnsweringWriter } from '../http/answering-writer.js';
import { aborted, HTTP_VERSIONS, runServer, type ServerOptions, type Service } from '../http/run-server.js';
import type { Destination } from '../output/destination.js';
import { PIPE_PACKET_BYTES } from '../output/packet.js';
import { partsOf, pathOf } from '../requests/target.js';
import { Backends } from './backends.js';
import { MAX_HELD_BYTES, readBody, unpackBody, type HeldBytes } from './bodies.js';
import { failedReply, Failures, type FailureOptions } from './failures.js';
import { LineBuffer, packetOfLines } from './line-buffer.js';
import type { Accepted, IsRefused, Reply, RequestHead } from './protocol.js';
import { refusedBy } from './refused-error.js';
import { MessageSockets, type SocketOptions } from './sockets.js';

/** The options of the service. */
export interface ReceiveOptions extends Omit<ServerOptions, 'port'>, Pick<SocketOptions, 'tcp' | 'udp'>, FailureOptions {
  /** The port for HTTP, 0 picks a free one; undefined for none. */
  readonly port: number | undefined;
  /** The size from which the output is rotated: the lines of a larger request go to several files. May be Infinity. */
  readonly maxFileBytes: number;
  /** Takes a line about something that is wrong, or about failures on purpose. */
  readonly warn: (message: string) => void;
  /** Names the options of failures on purpose in such a line. */
  readonly nameOption: NameOption;
}

const METHODS = ['POST', 'PUT'];

/** Collectors keep connections; a client that sends just when its connection is closed may take the request for lost. */
const KEEP_ALIVE_MS = 60_000;

/** At the end, clients have this long to take what is left of their answers. */
const LAST_ANSWERS_MS = 1000;

/** A request that waits counts as this, beside its headers: some 3 kB, and more than 20,000 on one connection take `node:http` long to drop. */
const REQUEST_BYTES = 1 << 14;

const EMPTY = Buffer.alloc(0);
const NONE_REFUSED: IsRefused = () => false;

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
  const sockets = new MessageSockets({ ...options, maxPieceBytes: maxPieceBytesOf(options) }, writer, held);
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

/** The most bytes of a piece of the output, between which it may be rotated. */
function maxPieceBytesOf({ maxFileBytes }: ReceiveOptions): number {
  return Math.min(PIPE_PACKET_BYTES, maxFileBytes);
}

/** Handles requests: one of each connection, and the lines of one at a time, in the order in which their bodies are whole. */
class Intake implements Service {
  readonly allow = METHODS.join(', ');
  readonly awaitsBodies = true;
  readonly keepAliveMs = KEEP_ALIVE_MS;
  readonly failures: Failures;
  readonly #options: ReceiveOptions;
  readonly #signal: AbortSignal;
  readonly #writer: AnsweringWriter;
  readonly #backends = new Backends();
  readonly #held: HeldBytes;
  readonly #lines = new LineBuffer();
  /** Resolves once all requests that have arrived whole are handed to the writer. */
  #turn: Promise<void> = Promise.resolve();
  /** Ends the delays of answers at the end. */
  readonly #delays = new Map<object, () => void>();
  /** The responses to requests that have arrived whole, until they are sent. */
  readonly #open = new Set<ServerResponse>();
  /** The requests behind the one that each connection has in hand. */
  readonly #behind = new WeakMap<Socket, (() => void)[]>();

  constructor(options: ReceiveOptions, writer: AnsweringWriter, held: HeldBytes, signal: AbortSignal) {
    this.#options = options;
    this.#writer = writer;
    this.#held = held;
    this.#signal = signal;
    this.failures = new Failures(options);
  }

  /** Resolves with the error once the output cannot recover. */
  get lost(): Promise<Error> {
    return this.#writer.lost;
  }

  /** Handles a request once those before it on its connection are answered. Requests that wait are held; no more are read beyond the limit. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const behind = this.#behind.get(socket);
    if (behind === undefined) {
      this.#behind.set(socket, []);
      this.#begin(request, response);
      return;
    }
    const bytes = request.rawHeaders.reduce((sum, text) => sum + 2 * text.length, REQUEST_BYTES);
    this.#held.bytes += bytes;
    behind.push(() => {
      this.#held.bytes -= bytes;
      if (!socket.destroyed && !this.#signal.aborted) this.#begin(request, response);
    });
    // Not at once: `node:http` parses what it has read, and goes on reading at the end of each request.
    if (this.#held.bytes > MAX_HELD_BYTES) setImmediate(() => socket.pause());
  }

  /** Resolves once all requests that have arrived whole are answered, or their clients have had time to take the answer. */
  async finish(): Promise<void> {
    for (let turn; turn !== this.#turn;) {
      turn = this.#turn;
      await turn;
    }
    await this.#writer.idle();
    for (const end of this.#delays.values()) end();
    const sent = Array.from(this.#open, (response) => new Promise((resolve) => response.once('close', resolve)));
    await Promise.race([Promise.all(sent), setTimeout(LAST_ANSWERS_MS, undefined, { ref: false })]);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket, method = '', httpVersion } = request;
    response.once('close', () => {
      this.#beginNext(socket);
    });
    const head = readHead(request);
    if (!HTTP_VERSIONS.has(httpVersion)) {
      this.#send(response, this.#refusal(head, 505, 'the version of HTTP is not supported; send HTTP/1.1'));
    } else if (METHODS.includes(method)) {
      void this.#take(head, request, response);
    } else {
      const asked = this.#backends.answer(head, EMPTY);
      if (asked === undefined) response.setHeader('Allow', this.allow);
      this.#send(response, asked ?? this.#refusal(head, 405, `the method is not allowed; send ${METHODS.join(' or ')}`));
    }
  }

  #beginNext(socket: Socket): void {
    const behind = this.#behind.get(socket) ?? [];
    // The requests behind one on a connection that is closed, or will be, are not answered.
    if (socket.destroyed || this.#signal.aborted) for (const drop of behind.splice(0)) drop();
    const next = behind.shift();
    if (next === undefined) {
      this.#behind.delete(socket);
      socket.resume();
    } else {
      next();
    }
  }

  /** Takes a request that carries events: its body first, then its turn. */
  async #take(head: RequestHead, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request, this.#held);
      if (body === undefined) return;
      this.#open.add(response);
      response.once('close', () => this.#open.delete(response));
      this.#turn = this.#turn.then(() => this.#process(head, body, response));
    } catch (error) {
      this.#send(response, this.#refusalOf(error, head));
    }
  }

  async #process(head: RequestHead, body: Buffer, response: ServerResponse): Promise<void> {
    const protocol = this.#backends.protocolOf(head.path);
    const lines = this.#lines;
    try {
      const bytes = await unpackBody(body, protocol.encodingOf?.(head) ?? head.encoding);
      const asked = this.#backends.answer(head, bytes);
      lines.begin(bytes);
      const accepted = asked === undefined ? await protocol.read(bytes, lines, head) : { answer: () => asked };
      if (lines.count === 0) this.#send(response, accepted.answer(NONE_REFUSED));
      else await this.#store(head, accepted, response);
    } catch (error) {
      this.#send(response, this.#refusalOf(error, head));
    } finally {
      this.#held.bytes -= body.length;
    }
  }

  /** Has the lines of a request written, and the request answered, unless it fails on purpose. Returns once the next one may have lines. */
  async #store(head: RequestHead, { answer, namesEach = false }: Accepted, response: ServerResponse): Promise<void> {
    const { failStatus, maxFileBytes } = this.#options;
    const lines = this.#lines;
    const fate = this.failures.next();
    if (fate === 'fail') {
      const message = `${failStatus === '413' ? 'too large' : 'unavailable'} on purpose; send again later`;
      void this.#answer(response, { ...this.#refusal(head, Number(failStatus), message), ...failedReply(this.#options) }, false);
      return;
    }
    // An answer that names each event takes a byte or two of each until it is sent.
    this.#holdUntilSent(response, namesEach ? 2 * lines.count : 0);
    const refused = namesEach ? this.failures.refuseItems(lines.count) : undefined;
    const isRefused: IsRefused = refused === undefined ? NONE_REFUSED : (event) => refused[event] === 1;
    if (refused !== undefined) lines.remove(isRefused);
    const { bytes, count } = lines;
    if (count === 0) {
      void this.#answer(response, answer(isRefused), fate === 'lose');
      return;
    }
    const pieceBytes = maxPieceBytesOf(this.#options);
    const isSmall = bytes.length <= pieceBytes;
    const added = isSmall
      ? { bytes: Buffer.from(bytes), count, origin: {} }
      : packetOfLines(bytes, bytes.length <= maxFileBytes ? bytes.length : pieceBytes);
    const heldBytes = isSmall ? bytes.length : 0;
    this.#held.bytes += heldBytes;
    const written = this.#writer
      .write(() => added)
      .then((outcome) => {
        this.#held.bytes -= heldBytes;
        if (outcome === 'written') void this.#answer(response, answer(isRefused), fate === 'lose');
        else void this.#answer(response, this.#refuseUnwritten(head, outcome), false);
      });
    if (!isSmall) await written;
  }

  #holdUntilSent(response: ServerResponse, bytes: number): void {
    this.#held.bytes += bytes;
    response.once('close', () => {
      this.#held.bytes -= bytes;
    });
  }

  /** Answers a request that carries events, or closes its connection, after the delay that every answer has. */
  async #answer(response: ServerResponse, reply: Reply, isLost: boolean): Promise<void> {
    const { delayMs } = this.#options;
    if (delayMs > 0 && !this.#signal.aborted) await this.#delay(response, delayMs);
    if (isLost) response.destroy();
    else this.#send(response, reply);
  }

  #delay(response: ServerResponse, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#delays.delete(response);
        resolve();
      };
      const timer = globalThis.setTimeout(end, delayMs);
      this.#delays.set(response, end);
    });
  }

  #send(response: ServerResponse, { status, type, headers = [], body }: Reply): void {
    // The client is told that the connection takes no further request.
    if (this.#signal.aborted) response.shouldKeepAlive = false;
    const always = ['Content-Type', type, ...headers];
    if (typeof body !== 'string') {
      response.writeHead(status, always);
      // A client that has gone does not take its answer, which is no fault.
      void pipeline(Readable.from(body), response).catch(() => undefined);
    } else if (status === 204) {
      response.writeHead(status).end();
    } else {
      response.writeHead(status, [...always, 'Content-Length', String(body.length)]);
      endOnceRead(response, body);
    }
  }

  #refusal(head: RequestHead, status: number, message: string): Reply {
    return this.#backends.protocolOf(head.path).refuse(status, message, head);
  }

  #refusalOf(error: unknown, head: RequestHead): Reply {
    const { status, message } = refusedBy(error);
    return this.#refusal(head, status, message);
  }

  #refuseUnwritten(head: RequestHead, outcome: 'full' | 'failed'): Reply {
    return outcome === 'full'
      ? this.#refusal(head, 429, 'too many requests are waiting; send again later')
      : this.#refusal(head, 503, 'the output does not take lines; send again later');
  }
}

/**
 * Sends the body of an answer. Of a request that is refused before all of it has come, the rest is read and dropped first: a connection that
 * is closed while its client sends is reset, and the client does not get to read the answer.
 */
function endOnceRead(response: ServerResponse, body: string): void {
  const { req: request } = response;
  if (request.complete) {
    response.end(body, 'latin1');
    return;
  }
  response.write(body, 'latin1');
  request.resume().once('end', () => response.end());
}

function readHead({ url = '', method = '', headers }: IncomingMessage): RequestHead {
  const path = pathOf(url);
  return {
    method,
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: partsOf(url).query ?? '',
    type: (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    accept: headers.accept ?? '',
    encoding: headers['content-encoding'] ?? '',
    channel: String(headers['x-splunk-request-channel'] ?? ''),
  };
}
