import { setImmediate } from 'node:timers/promises';
import { CallError } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type LogRequest } from '../log/group.js';
import { Chunk } from '../output/chunk.js';
import type { Output } from '../output/output.js';
import { escapeText } from '../wording.js';

/** So many requests may wait for the log. A reader that stalls makes no more of them wait, and memory stays bounded. */
export const MAX_WAITING = 4096;

/**
 * Is told, once, how a request ended: with the bytes of the group that stands in the log, good until it returns; or with undefined,
 * if none does.
 */
type Answer = (group: Buffer | undefined) => void;

interface Waiting {
  readonly request: LogRequest;
  readonly answer: Answer;
}

/**
 * Writes a group for each request that is being handled, in the order in which they came (6). Requests that come while others
 * are being written, or in one turn of the event loop, are written together, as far as they fit into a chunk.
 *
 * Where a write is refused, the requests whose groups do not stand are told so, and the next ones are tried afresh; `warn` hears of it
 * once, and once when the log takes groups again.
 */
export class GroupWriter {
  /** Resolves with the error once the output takes nothing any more, whatever is tried: its reader is gone. */
  readonly lost: Promise<Error>;
  #lose: (error: Error) => void = () => undefined;
  readonly #output: Output;
  readonly #renderer: GroupRenderer;
  readonly #warn: (message: string) => void;
  readonly #chunk = new Chunk();
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** Why the last write was refused, and how many requests have been since then; undefined while the log takes groups. */
  #fault: CallError | undefined;
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
   * Takes a request, and answers once its group stands in the log, or cannot.
   *
   * @returns false, and there will be no answer, if too many are waiting already
   */
  append(request: LogRequest, answer: Answer): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push({ request, answer });
    this.#writing ??= this.#writeAll();
    return true;
  }

  /** Resolves when no request is waiting. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Not at once: what else comes in this turn of the event loop goes into the same write.
    await setImmediate();
    while (this.#waiting.length > 0) await this.#writeSome();
    this.#writing = undefined;
  }

  async #writeSome(): Promise<void> {
    const some = this.#fillChunk();
    const before = this.#output.written;
    try {
      await this.#output.write(this.#chunk);
      this.#sayWhetherWritable(undefined);
    } catch (error) {
      if (error instanceof CallError && this.#output.mayRecover) this.#sayWhetherWritable(error);
      else this.#lose(error instanceof Error ? error : new Error(String(error)));
    }
    const standing = this.#output.written - before;
    this.#refused += some.length - standing;
    const { bytes, ends } = this.#chunk;
    for (const [index, { answer }] of some.entries()) {
      answer(index < standing ? bytes.subarray(ends[index - 1], ends[index]) : undefined);
    }
  }

  /** Moves requests that are waiting into the chunk, until it is full. */
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

  #sayWhetherWritable(fault: CallError | undefined): void {
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
