import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/output/pacer.js';

/** A clock that moves when it is slept on, and when its time is set. */
export class FakeClock implements Clock {
  time = 1000;
  readonly sleeps: number[] = [];

  /** @param oversleep how much longer than asked for each sleep takes */
  constructor(private readonly oversleep = 0) {}

  readonly now = (): number => this.time;

  readonly sleep = async (delayMs: number): Promise<void> => {
    this.sleeps.push(delayMs);
    // A write that has begun takes no time.
    await setImmediate();
    this.time += delayMs + this.oversleep;
  };
}
