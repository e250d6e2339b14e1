import { startDrawing, type Draw } from '../requests/draws.js';
import { countOf } from '../wording.js';
import type { Reply } from './protocol.js';

/** The forms of the body of a 503 on purpose: collectors tell them apart. */
export const FAIL_BODIES = ['json', 'html', 'empty'] as const;

/** Failures on purpose. */
export interface FailureOptions {
  /** The share of requests, from 0 to 1, that are answered with 503 and not stored. */
  readonly failShare: number;
  readonly failBody: (typeof FAIL_BODIES)[number];
  /** The share of requests that are stored, and their connection closed without an answer. */
  readonly loseShare: number;
  /** Every answer is this much later. */
  readonly delayMs: number;
  readonly seed: number;
}

/** Keeps these draws apart from those of `synth` and of faults. */
const PURPOSE = [0x72656365, 0x69766521] as const;

/** Draws what becomes of each request that carries events, in the order in which they are handled. */
export class Failures {
  readonly #counts = { fail: 0, lose: 0, answer: 0 };
  readonly #options: FailureOptions;
  readonly #draw: Draw;

  constructor(options: FailureOptions) {
    this.#options = options;
    this.#draw = startDrawing(PURPOSE, options.seed, 0);
  }

  next(): 'fail' | 'lose' | 'answer' {
    const { failShare, loseShare } = this.#options;
    const drawn = this.#draw();
    const fate = drawn < failShare ? 'fail' : drawn >= 1 - loseShare ? 'lose' : 'answer';
    this.#counts[fate] += 1;
    return fate;
  }

  /** Says how many requests failed on purpose; undefined if none was meant to. */
  describe(): string | undefined {
    const { failShare, loseShare } = this.#options;
    if (failShare === 0 && loseShare === 0) return undefined;
    const { fail, lose, answer } = this.#counts;
    const requests = `of ${countOf(fail + lose + answer, 'request')} with events`;
    return `${requests}, ${String(fail)} got a 503 on purpose (--fail), ${String(lose)} got no answer (--lose-answer)`;
  }
}

/** The page that a proxy sends where its backend is away. */
const UNAVAILABLE_PAGE = `<html>
<head><title>503 Service Temporarily Unavailable</title></head>
<body>
<center><h1>503 Service Temporarily Unavailable</h1></center>
</body>
</html>
`;

/** A 503 on purpose, in so far as it differs from the error of the backend. */
export const FAILED: Readonly<Record<FailureOptions['failBody'], Partial<Reply>>> = {
  json: {},
  html: { type: 'text/html', body: UNAVAILABLE_PAGE },
  empty: { body: '' },
};
