import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { followPath, type Follower } from '../../src/input/follower.js';
import type { RunResult } from './run.js';

const LOOK_MS = 5;

/** A pipeline in this process: it follows a log as a collector does, and appends what it makes of each line to a file. */
export class Pipeline {
  readonly #log: Follower;
  readonly #following: Promise<void>;
  #hasEnded = false;

  /** @param change gives the lines to deliver for a line, byte strings without LF */
  constructor(
    readonly from: string,
    private readonly to: string,
    private readonly change: (line: string) => readonly string[] = (line) => [line],
  ) {
    this.#log = followPath(from);
    // As a collector does that has been started before.
    appendFileSync(to, '');
    this.#following = this.#follow();
  }

  deliver(lines: readonly string[]): void {
    if (lines.length > 0) appendFileSync(this.to, Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'));
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#following;
    this.#log.close();
  }

  async #follow(): Promise<void> {
    while (!this.#hasEnded) {
      const growth = this.#log.look(performance.now());
      if (growth === undefined) await setTimeout(LOOK_MS);
      else this.#deliverAll(growth.bytes);
    }
  }

  #deliverAll(bytes: Buffer): void {
    const lines = bytes.toString('latin1').split('\n').slice(0, -1);
    this.deliver(lines.flatMap((line) => this.change(line)));
  }
}

/** The figures above 0 of the summary of `canary --json`, its last line. */
export function summaryOf({ stdout }: Pick<RunResult, 'stdout'>): Record<string, unknown> {
  const summary: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return Object.fromEntries(Object.entries(summary ?? {}).filter(([, value]) => typeof value === 'number' && value > 0));
}
