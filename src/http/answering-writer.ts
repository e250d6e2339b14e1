import { setImmediate } from 'node:timers/promises';
import { CallError } from '../errors.js';
import { Chunk } from '../output/chunk.js';
import type { Output } from '../output/destination.js';
import { escapeText } from '../wording.js';

/** The most requests that may wait for the output: memory stays bounded when a reader stalls. */
export const MAX_WAITING = 4096;

/** The output of one request, valid until the next request is rendered. */
export interface Rendered {
  /** Ends in LF. */
  readonly bytes: Uint8Array;
  /** The number of groups (or lines, …) in it; at least 1. */
  readonly count: number;
  /** The same bytes as pieces that are written by themselves, uncopied; left out for one piece that may share a write with others. */
  readonly alone?: Chunk | undefined;
}

/**
 * Called once for a request: with the bytes that stand in the output, valid until the call returns; or with undefined if they do not
 * stand.
 */
type Answer = (written: Buffer | undefined) => void;

interface Waiting<T> {
  readonly request: T;
  readonly answer: Answer;
}

/** A request of the current write, and the count up to its end. */
interface Written<T> extends Waiting<T> {
  readonly bytes: Buffer;
  readonly end: number;
}

/** Options of `AnsweringWriter`. */
interface WriterOptions<T> {
  readonly output: Output;
  /** Renders the output of a request. */
  readonly render: (request: T) => Rendered;
  /** Called for the first failure in a row, and once the output takes groups (or lines, …) again. */
  readonly warn: (message: string) => void;
}

/**
 * Writes the output of each request that is being handled, in the order of the requests (6), and then has the request answered.
 * Requests that arrive during a write, or in one turn of the event loop, are written together, up to a full chunk.
 *
 * After a failed write, requests whose output does not stand are answered without it, and later requests are tried again.
 */
export class AnsweringWriter<T> {
  /** Resolves with the error once the output cannot recover: its reader is gone. */
  readonly lost: Promise<Error>;
  #lose: (error: Error) => void = () => undefined;
  readonly #output: Output;
  readonly #render: (request: T) => Rendered;
  readonly #warn: (message: string) => void;
  readonly #chunk = new Chunk();
  #waiting: Waiting<T>[] = [];
  #writing: Promise<void> | undefined;
  /** The error of the last write; undefined while the output takes writes. */
  #fault: CallError | undefined;
  /** The number of requests answered without output since the first failed write. */
  #refused = 0;

  constructor({ output, render, warn }: WriterOptions<T>) {
    this.#output = output;
    this.#render = render;
    this.#warn = warn;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  /**
   * Takes a request, and calls `answer` once its output stands, or cannot.
   *
   * @returns false if too many requests are waiting; `answer` is not called then
   */
  append(request: T, answer: Answer): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push({ request, answer });
    this.#writing ??= this.#writeAll();
    return true;
  }

  /** Resolves once no request is waiting. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Requests that arrive in the same turn of the event loop go into the same write.
    await setImmediate();
    while (this.#waiting.length > 0) await this.#writeSome();
    this.#writing = undefined;
  }

  async #writeSome(): Promise<void> {
    const { some, chunk } = this.#take();
    const before = this.#output.written;
    try {
      await this.#output.write(chunk);
      this.#warnOfChange(undefined);
    } catch (error) {
      if (error instanceof CallError && this.#output.mayRecover) this.#warnOfChange(error);
      else this.#lose(error instanceof Error ? error : new Error(String(error)));
    }
    const standing = this.#output.written - before;
    for (const { answer, bytes, end } of some) {
      if (end > standing) this.#refused += 1;
      answer(end > standing ? undefined : bytes);
    }
  }

  /** Renders waiting requests until a chunk is full. @returns these requests, no longer waiting, and what is written for them */
  #take(): { readonly some: readonly Written<T>[]; readonly chunk: Chunk } {
    this.#chunk.clear();
    const some: Written<T>[] = [];
    let count = 0;
    let length = 0;
    for (const waiting of this.#waiting) {
      const rendered = this.#render(waiting.request);
      if (rendered.alone !== undefined && some.length === 0) {
        this.#waiting.shift();
        const { alone } = rendered;
        return { some: [{ ...waiting, bytes: alone.bytes, end: rendered.count }], chunk: alone };
      }
      if (rendered.alone !== undefined || !this.#chunk.fits(rendered.bytes.length)) break;
      this.#chunk.add({ bytes: rendered.bytes, count: rendered.count, origin: {} });
      count += rendered.count;
      length += rendered.bytes.length;
      some.push({ ...waiting, bytes: this.#chunk.bytes.subarray(length - rendered.bytes.length), end: count });
    }
    this.#waiting.splice(0, some.length);
    return { some, chunk: this.#chunk };
  }

  #warnOfChange(fault: CallError | undefined): void {
    const { noun } = this.#output;
    if (fault !== undefined && this.#fault === undefined) {
      const { place, problem } = fault;
      this.#warn(`${escapeText(place.source)}: ${problem}; until it takes ${noun}s again, requests are answered with 503`);
      this.#refused = 0;
    } else if (fault === undefined && this.#fault !== undefined) {
      const requests = this.#refused === 1 ? '1 request was' : `${String(this.#refused)} requests were`;
      this.#warn(`${escapeText(this.#fault.place.source)}: it takes ${noun}s again; ${requests} answered with 503`);
    }
    this.#fault = fault;
  }
}
