import { Output } from '../../src/output/output.js';
import type { Chunk } from '../../src/output/chunk.js';

/** What is done with a write: all of it stands, or the first groups only and then the error. */
export type Outcome = 'taken' | { readonly standing: number; readonly error: Error };

/** An output in memory. What happens to each write is planned; a write with no plan is taken, at once or when it is let go. */
export class HeldOutput extends Output {
  override readonly mayRecover: boolean;
  /** A byte string for each write: what stands of it. */
  readonly writes: string[] = [];
  readonly #plan: Outcome[];
  /** Set, it holds writes back until it is resolved. */
  held: Promise<void> = Promise.resolve();

  constructor(plan: Outcome[] = [], mayRecover = true, noun = 'group') {
    super(noun);
    this.#plan = plan;
    this.mayRecover = mayRecover;
  }

  override async write(chunk: Chunk): Promise<void> {
    const outcome = this.#plan.shift() ?? 'taken';
    await this.held;
    const bytes = outcome === 'taken' ? chunk.bytes.length : (chunk.ends[outcome.standing - 1] ?? 0);
    this.writes.push(chunk.bytes.toString('latin1', 0, bytes));
    this.count(chunk, bytes);
    if (outcome !== 'taken') throw outcome.error;
  }
}
