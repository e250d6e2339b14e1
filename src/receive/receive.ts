import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { StoppedError } from '../errors.js';
import { AnsweringWriter } from '../http/answering-writer.js';
import { HTTP_VERSIONS, runServer, type ServerOptions, type Service } from '../http/run-server.js';
import { countLines } from '../lines.js';
import { LF } from '../log/byte-string.js';
import { Packet, PIPE_PACKET_BYTES } from '../output/packet.js';
import type { Output } from '../output/destination.js';
import { partsOf, pathOf } from '../requests/target.js';
import { readBody, unpackBody, type HeldBytes } from './bodies.js';
import { FAILED, Failures, type FailureOptions } from './failures.js';
import { answerHealth, findProtocol } from './find-protocol.js';
import { LineBuffer } from './line-buffer.js';
import type { Reply, RequestHead } from './protocol.js';
import { RefusedError } from './refused-error.js';

/** The options of the service. */
export interface ReceiveOptions extends ServerOptions, FailureOptions {
  /** The size from which the output is rotated: the lines of a larger request go to several files. May be Infinity. */
  readonly maxFileBytes: number;
  /** Takes a line about something that is wrong, or about failures on purpose. */
  readonly warn: (message: string) => void;
}

const METHODS = ['POST', 'PUT'];

/** Collectors keep connections; a client that sends just when its connection is closed may take the request for lost. */
const KEEP_ALIVE_MS = 60_000;

/** At the end, clients have this long to take what is left of their answers. */
const LAST_ANSWERS_MS = 1000;

/**
 * Takes events over HTTP, as the backends of log collectors do: the lines of a request are written, and then the answer is sent. When
 * the signal is aborted, the server accepts no more requests and answers those that have arrived.
 *
 * @param signal ends the service
 * @throws CallError if the server cannot listen; StoppedError if the reader of the output goes away
 */
export async function receive(options: ReceiveOptions, output: Output, signal: AbortSignal): Promise<void> {
  const intake = new Intake(options, output, signal);
  const failure = await runServer(options, intake, signal);
  const failed = intake.failures.describe();
  if (failed !== undefined) options.warn(failed);
  if (failure !== undefined) throw new StoppedError(failure, output.written, undefined, output.noun);
}

/** Handles requests: one at a time, in the order in which their bodies are whole. */
class Intake implements Service {
  readonly allow = METHODS.join(', ');
  readonly keepAliveMs = KEEP_ALIVE_MS;
  readonly failures: Failures;
  readonly #options: ReceiveOptions;
  readonly #signal: AbortSignal;
  readonly #writer: AnsweringWriter;
  readonly #held: HeldBytes = { bytes: 0 };
  readonly #lines = new LineBuffer();
  /** Resolves once all requests that have arrived whole are handed to the writer. */
  #turn: Promise<void> = Promise.resolve();
  /** Aborted once answers are not delayed any more. */
  readonly #delays = new AbortController();
  /** The responses to requests that have arrived whole, until they are sent. */
  readonly #open = new Set<ServerResponse>();

  constructor(options: ReceiveOptions, output: Output, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.failures = new Failures(options);
    // Each delayed answer listens.
    setMaxListeners(0, this.#delays.signal);
    this.#writer = new AnsweringWriter(output, options.warn);
  }

  /** Resolves with the error once the output cannot recover. */
  get lost(): Promise<Error> {
    return this.#writer.lost;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', httpVersion } = request;
    const head = readHead(request);
    if (!HTTP_VERSIONS.has(httpVersion)) {
      this.#send(response, refusal(head, 505, 'the version of HTTP is not supported; send HTTP/1.1'));
    } else if (METHODS.includes(method)) {
      void this.#take(head, request, response);
    } else {
      const asked = method === 'GET' || method === 'HEAD' ? answerHealth(head) : undefined;
      if (asked === undefined) response.setHeader('Allow', this.allow);
      this.#send(response, asked ?? refusal(head, 405, `the method is not allowed; send ${METHODS.join(' or ')}`));
    }
  }

  /** Resolves once all requests that have arrived whole are answered, or their clients have had time to take the answer. */
  async finish(): Promise<void> {
    for (let turn; turn !== this.#turn;) {
      turn = this.#turn;
      await turn;
    }
    await this.#writer.idle();
    this.#delays.abort();
    const sent = Array.from(this.#open, (response) => new Promise((resolve) => response.once('close', resolve)));
    await Promise.race([Promise.all(sent), setTimeout(LAST_ANSWERS_MS, undefined, { ref: false })]);
  }

  /** Takes a request that carries events: its body first, then its turn. */
  async #take(head: RequestHead, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request, this.#held);
      if (body === undefined) return;
      this.#open.add(response);
      response.once('close', () => this.#open.delete(response));
      this.#turn = this.#turn.then(() => this.#process(head, body, request, response));
    } catch (error) {
      this.#send(response, refusalOf(error, head));
    }
  }

  async #process(head: RequestHead, body: Buffer, { headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const lines = this.#lines;
    try {
      const bytes = await unpackBody(body, headers['content-encoding']);
      lines.begin(bytes);
      const reply = findProtocol(head.path).read(bytes, lines, head);
      if (lines.count === 0) this.#send(response, reply);
      else await this.#store(head, reply, response);
    } catch (error) {
      this.#send(response, refusalOf(error, head));
    } finally {
      this.#held.bytes -= body.length;
    }
  }

  /** Has the lines of a request written, and the request answered, unless it fails on purpose. Returns once the next one may have lines. */
  async #store(head: RequestHead, reply: Reply, response: ServerResponse): Promise<void> {
    const { failBody, maxFileBytes } = this.#options;
    const fate = this.failures.next();
    if (fate === 'fail') {
      const failed = { ...refusal(head, 503, 'unavailable on purpose; send again later'), ...FAILED[failBody] };
      void this.#answer(response, failed, false);
      return;
    }
    const { bytes, count } = this.#lines;
    const pieceBytes = Math.min(PIPE_PACKET_BYTES, maxFileBytes);
    const isSmall = bytes.length <= pieceBytes;
    const added = isSmall
      ? { bytes: Buffer.from(bytes), count, origin: {} }
      : packetOfLines(bytes, bytes.length <= maxFileBytes ? bytes.length : pieceBytes);
    const written = this.#writer
      .write(() => added)
      .then((outcome) => {
        if (outcome === 'written') void this.#answer(response, reply, fate === 'lose');
        else void this.#answer(response, refuseUnwritten(head, outcome), false);
      });
    if (!isSmall) await written;
  }

  /** Answers a request that carries events, or closes its connection, after the delay that every answer has. */
  async #answer(response: ServerResponse, reply: Reply, isLost: boolean): Promise<void> {
    const { delayMs } = this.#options;
    if (delayMs > 0) await setTimeout(delayMs, undefined, { signal: this.#delays.signal }).catch(() => undefined);
    // The answers to earlier requests on the connection have been sent by then.
    if (isLost) response.destroy();
    else this.#send(response, reply);
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
      response.writeHead(status, [...always, 'Content-Length', String(body.length)]).end(body, 'latin1');
    }
  }
}

function readHead({ url = '', headers }: IncomingMessage): RequestHead {
  const path = pathOf(url);
  return {
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: partsOf(url).query ?? '',
    type: (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    accept: headers.accept ?? '',
  };
}

function refusal(head: RequestHead, status: number, message: string): Reply {
  return findProtocol(head.path).refuse(status, message, head);
}

function refusalOf(error: unknown, head: RequestHead): Reply {
  if (error instanceof RefusedError) return refusal(head, error.status, error.message);
  throw error;
}

function refuseUnwritten(head: RequestHead, outcome: 'full' | 'failed'): Reply {
  return outcome === 'full'
    ? refusal(head, 429, 'too many requests are waiting; send again later')
    : refusal(head, 503, 'the output does not take lines; send again later');
}

/**
 * The lines of one request as pieces of whole lines, uncopied: a failed write leaves no part of a piece, and a file may be rotated between
 * pieces.
 *
 * @param bytes one line or more
 * @param maxPieceBytes a piece has at most this size; a longer line is a piece of its own
 */
export function packetOfLines(bytes: Buffer, maxPieceBytes: number): Packet {
  const packet = new Packet(bytes);
  for (let start = 0; start < bytes.length;) {
    const last = bytes.subarray(start, start + maxPieceBytes).lastIndexOf(LF);
    const end = (last === -1 ? bytes.indexOf(LF, start) : start + last) + 1;
    packet.endPiece(end - start, countLines(bytes.subarray(start, end)));
    start = end;
  }
  return packet;
}
