import { STATUS_CODES } from 'node:http';
import type { NameOption } from '../errors.js';
import { startDrawing, type Draw } from '../requests/draws.js';
import { countOf } from '../wording.js';
import type { Protocol, Reply, RequestHead } from './protocols.js';

export const FAIL_BODIES = ['json', 'html', 'empty'] as const;

export const FAIL_STATUSES = ['503', '429', '500', '502', '504', '413'] as const;

/** The status of a document that is refused by itself: the queue of its shard is full. */
export const ITEM_STATUS = 429;

/** Failures on purpose, with the names of the command's options: shares are from 0 to 1, the delay in milliseconds. */
export interface FailureOptions {
  readonly fail: number;
  readonly failStatus?: (typeof FAIL_STATUSES)[number] | undefined;
  readonly failBody?: (typeof FAIL_BODIES)[number] | undefined;
  readonly failItems: number;
  readonly loseAnswer: number;
  readonly delay?: number | undefined;
  readonly seed: number;
}

/** Keeps these draws apart from those of `synth` and of faults. */
const PURPOSE = [0x72656365, 0x69766521] as const;

export class Failures {
  readonly #counts = { fail: 0, lose: 0, answer: 0 };
  #items = 0;
  #refused = 0;
  readonly #options: FailureOptions;
  readonly #draw: Draw;
  readonly #drawItem: Draw;

  constructor(options: FailureOptions) {
    this.#options = options;
    this.#draw = startDrawing(PURPOSE, options.seed, 0);
    this.#drawItem = startDrawing(PURPOSE, options.seed, 1);
  }

  next(): 'fail' | 'lose' | 'answer' {
    const drawn = this.#draw();
    const fate = drawn < this.#options.fail ? 'fail' : drawn >= 1 - this.#options.loseAnswer ? 'lose' : 'answer';
    this.#counts[fate] += 1;
    return fate;
  }

  refusesItem(): boolean {
    const isRefused = this.#drawItem() < this.#options.failItems;
    this.#items += 1;
    this.#refused += Number(isRefused);
    return isRefused;
  }

  replyTo(head: RequestHead, protocol: Protocol): Reply {
    const { failBody = FAIL_BODIES[0], failStatus = FAIL_STATUSES[0] } = this.#options;
    const message = `${failStatus === '413' ? 'too large' : 'unavailable'} on purpose; send again later`;
    const reply = protocol.refuse(Number(failStatus), message, head);
    if (failBody !== 'html') return failBody === 'json' ? reply : { ...reply, body: '' };
    const title = `${failStatus} ${STATUS_CODES[failStatus] ?? ''}`;
    const page = `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
    return { ...reply, type: 'text/html', body: page };
  }

  describe(option: NameOption): readonly string[] {
    const { fail, loseAnswer, failStatus = FAIL_STATUSES[0], failItems } = this.#options;
    const { fail: failed, lose, answer } = this.#counts;
    const requests = countOf(failed + lose + answer, 'request');
    const gotStatus = `${String(failed)} got a ${failStatus} on purpose (${option('fail')})`;
    const gotNothing = `${String(lose)} got no answer (${option('loseAnswer')})`;
    const refused = `${String(this.#refused)} got a ${String(ITEM_STATUS)} on purpose (${option('failItems')})`;
    return [
      ...(fail + loseAnswer > 0 ? [`of ${requests} with events, ${gotStatus}, ${gotNothing}`] : []),
      ...(failItems > 0 ? [`of ${countOf(this.#items, 'document')} in bulk requests, ${refused}`] : []),
    ];
  }
}
