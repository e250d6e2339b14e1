import { setImmediate } from 'node:timers/promises';
import { CallError } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type LogRequest } from '../log/group.js';
import { Chunk } from '../output/chunk.js';
import type { Output } from '../output/destination.js';
import { escapeText } from '../wording.js';

/** The most requests that may wait for the log: memory stays bounded when a reader stalls. */
export const MAX_WAITING = 4096;

/**
 * Called once for a request: with the bytes of the group that stands in the log, valid until the call returns; or with undefined
 * if no group does.
 */
type Answer = (group: Buffer | undefined) => void;

interface Waiting {
  readonly request: LogRequest;
  readonly answer: Answer;
}

/**
 * Writes a group for each request that is being handled, in the order of the requests (6). Requests that arrive during a write,
 * or in one turn of the event loop, are written together, up to a full chunk.
 *
 * After a failed write, requests whose groups do not stand are answered without a group, and later requests are tried again.
 * `warn` is called for the first failure in a row, and once the log takes groups again.
 */
export class GroupWriter {
  /** Resolves with the error once the output cannot recover: its reader is gone. */
  readonly lost: Promise<Error>;
  #lose: (error: Error) => void = () => undefined;
  readonly #output: Output;
  readonly #renderer: GroupRenderer;
  readonly #warn: (message: string) => void;
  readonly #chunk = new Chunk();
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** The error of the last write; undefined while the log takes groups. */
  #fault: CallError | undefined;
  /** The number of requests answered without a group since the first failed write. */
  #refused = 0;

  constructor(output: Output, deployment: Deployment, warn: (message: string) => void) {
    this.#output = output;
    this.#renderer = new GroupRenderer(deployment);
    this.#warn = warn;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  /**
   * Takes a request, and calls `answer` once its group stands in the log, or cannot.
   *
   * @returns false if too many requests are waiting; `answer` is not called then
   */
  append(request: LogRequest, answer: Answer): boolean {
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
    const some = this.#fillChunk();
    const before = this.#output.written;
    try {
      await this.#output.write(this.#chunk);
      this.#warnOfChange(undefined);
    } catch (error) {
      if (error instanceof CallError && this.#output.mayRecover) this.#warnOfChange(error);
      else this.#lose(error instanceof Error ? error : new Error(String(error)));
    }
    const standing = this.#output.written - before;
    this.#refused += some.length - standing;
    const chunk = this.#chunk;
    for (const [index, { answer }] of some.entries()) {
      answer(index < standing ? chunk.bytes.subarray(chunk.startOf(index), chunk.startOf(index + 1)) : undefined);
    }
  }

  /** Renders waiting requests into the chunk until the chunk is full. @returns these requests, no longer waiting */
  #fillChunk(): readonly Waiting[] {
    this.#chunk.clear();
    let count = 0;
    for (const { request } of this.#waiting) {
      const bytes = this.#renderer.render(request);
      if (!this.#chunk.fits(bytes.length)) break;
      this.#chunk.add({ bytes, count: 1, origin: request });
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  #warnOfChange(fault: CallError | undefined): void {
    if (fault !== undefined && this.#fault === undefined) {
      const { place, problem } = fault;
      this.#warn(`${escapeText(place.source)}: ${problem}; until it takes groups again, requests are answered with 503`);
      this.#refused = 0;
    } else if (fault === undefined && this.#fault !== undefined) {
      const requests = this.#refused === 1 ? '1 request was' : `${String(this.#refused)} requests were`;
      this.#warn(`${escapeText(this.#fault.place.source)}: it takes groups again; ${requests} answered with 503`);
    }
    this.#fault = fault;
  }
}
