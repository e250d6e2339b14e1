import { setImmediate } from 'node:timers/promises';
import { CallError } from '../errors.js';
import { Packet, type Piece } from '../output/piece.js';
import type { Destination } from '../output/destination.js';
import { countOf, escapeText } from '../wording.js';

/** The most requests that may wait for the output: memory stays bounded when a reader stalls. */
export const MAX_WAITING = 4096;

/** The outcome of a request: none of its output stands unless it is `written`. `full`: too many requests are waiting. */
export type Outcome = 'written' | 'failed' | 'full';

/** A request, before its output is rendered: targets may be thousands of times shorter. */
interface Waiting {
  /** Gives a piece that may share a write with others, or a packet that is written by itself, uncopied. */
  readonly render: () => Piece | Packet;
  readonly resolve: (outcome: Outcome) => void;
}

/**
 * Writes the output of each request, in the order of the requests (6), and then tells what became of it. Requests that arrive during a
 * write, or in one turn of the event loop, are written together, up to a full packet. After a failed write, later ones are tried again.
 */
export class AnsweringWriter {
  /** Resolves with the error once the output cannot recover: its reader is gone. */
  readonly lost: Promise<Error>;
  #lose: (error: Error) => void = () => undefined;
  readonly #packet = new Packet();
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** The error of the last write; undefined while the output takes writes. */
  #fault: CallError | undefined;
  /** Requests answered without output since the first failed write. */
  #refused = 0;

  /** @param warn told of the first failure in a row, and of its end @param isAnswering false if nobody waits */
  constructor(
    private readonly output: Destination,
    private readonly warn: (message: string) => void,
    private readonly isAnswering = true,
  ) {
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  /** Writes the output of a request. @param render is called when it is written, and once more if it did not fit into a write */
  async write(render: Waiting['render']): Promise<Outcome> {
    if (this.#waiting.length >= MAX_WAITING) return 'full';
    return new Promise((resolve) => {
      this.#waiting.push({ render, resolve });
      this.#writing ??= this.#writeAll();
    });
  }

  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Requests that arrive in the same turn of the event loop go into the same write.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const { taken, packet } = this.#take();
      const before = this.output.written;
      try {
        await this.output.write(packet);
        this.#warnOfChange(undefined);
      } catch (error) {
        if (error instanceof CallError && this.output.mayRecover) this.#warnOfChange(error);
        else this.#lose(error instanceof Error ? error : new Error(String(error)));
      }
      const standing = this.output.written - before;
      for (const { resolve, end } of taken) {
        if (end > standing) this.#refused += 1;
        resolve(end > standing ? 'failed' : 'written');
      }
    }
    this.#writing = undefined;
  }

  /** Renders waiting requests until a packet is full. @returns them, each with the count up to its end, and the packet */
  #take() {
    let packet = this.#packet;
    packet.clear();
    const taken: { readonly resolve: Waiting['resolve']; readonly end: number }[] = [];
    for (const { render, resolve } of this.#waiting) {
      const output = render();
      const isAlone = output instanceof Packet;
      if (isAlone ? taken.length > 0 : !packet.fits(output.bytes.length)) break;
      if (isAlone) packet = output;
      else packet.add(output);
      taken.push({ resolve, end: packet.count() });
      if (isAlone) break;
    }
    this.#waiting.splice(0, taken.length);
    return { taken, packet };
  }

  #warnOfChange(fault: CallError | undefined): void {
    const { noun } = this.output;
    if (fault !== undefined && this.#fault === undefined) {
      const outcome = this.isAnswering ? 'requests are answered with 503' : 'what arrives waits';
      this.warn(`${escapeText(fault.place.source)}: ${fault.problem}; until it takes ${noun}s again, ${outcome}`);
      this.#refused = 0;
    } else if (fault === undefined && this.#fault !== undefined) {
      const requests = `${countOf(this.#refused, 'request')} ${this.#refused === 1 ? 'was' : 'were'}`;
      const outcome = this.isAnswering ? `; ${requests} answered with 503` : '';
      this.warn(`${escapeText(this.#fault.place.source)}: it takes ${noun}s again${outcome}`);
    }
    this.#fault = fault;
  }
}
