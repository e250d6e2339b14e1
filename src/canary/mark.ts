import { randomBytes } from 'node:crypto';
import type { LogRequest } from '../log/group.js';
import { MARK_CHARACTER, markTarget, requireMark } from '../requests/target.js';

const PARAMETER = 'canary';

/** The mark of one run: `canary=<run>-<n>` in the query of each target, n from 1 on. */
export class RunMark {
  readonly #pattern: RegExp;
  /** The number of the request that was marked last; 0 before the first. */
  latest = 0;

  constructor(private readonly run: string) {
    const name = run.replace(/\./g, '\\.');
    // With more of the characters of a name behind the digits, the mark is that of another run.
    this.#pattern = new RegExp(`[?&]${PARAMETER}=${name}-(\\d+)(?!${MARK_CHARACTER})`, 'g');
  }

  mark(request: LogRequest): LogRequest {
    this.latest += 1;
    return { ...request, target: markTarget(request.target, `${PARAMETER}=${this.run}-${String(this.latest)}`) };
  }

  /** The numbers of all marks of this run in a text. The last one of a target is its own: a target of a list may have carried one before. */
  numbersIn(text: string): readonly number[] {
    return Array.from(text.matchAll(this.#pattern), ([, number]) => Number(number));
  }
}

export function newRunName(): string {
  return randomBytes(5).toString('hex');
}

/** @param option the option in messages @throws CallError for what is not the name of a run */
export function requireRunName(option: string, name: string): string {
  return requireMark(option, name, 'name for a run', 'staging');
}
