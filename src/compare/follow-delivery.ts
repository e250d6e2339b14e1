import type { Arrivals } from './arrivals.js';
import type { ArrivalKeys } from './arrival-keys.js';

/** An input that grows: what has come since the last look, or undefined. Good until the next look. */
export interface GrowingInput {
  readonly look: () => Uint8Array | undefined;
  /** Keeps bytes that have come, to be compared when all has. */
  readonly keep: (bytes: Uint8Array) => void;
}

/** Tells the time in milliseconds, and lets it pass. */
export interface FollowClock {
  readonly now: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
}

interface FollowOptions {
  readonly keys: ArrivalKeys;
  readonly arrivals: Arrivals;
  readonly clock: FollowClock;
  /** The following ends when nothing new has come to either side for so long. */
  readonly waitMs: number;
  /** The time between looks. */
  readonly resolutionMs: number;
}

/** The expected log is taken for finished when it has not grown for so long. */
const SETTLED_MS = 1000;

/** A longer line is compared with no other. */
const MAX_LINE_BYTES = 1 << 24;

/**
 * Follows the expected log and what is received until all that was sent has come and the expected log has not grown for a second, or
 * until nothing new has come to either for a given time. A record waits for its LF.
 */
export async function followDelivery(
  expected: GrowingInput,
  received: readonly GrowingInput[],
  { keys, arrivals, clock, waitMs, resolutionMs }: FollowOptions,
): Promise<void> {
  const sent = new Followed(expected);
  const others = received.map((input) => new Followed(input));
  const startMs = clock.now();
  let grownMs = startMs;
  let newMs = startMs;
  for (let isFirstLook = true; ; isFirstLook = false) {
    const nowMs = clock.now();
    // What is there at the start has no known moment.
    const seenMs = isFirstLook ? undefined : nowMs;
    const hasGrown = sent.takeAll((line) => {
      const key = keys.ofSent(line);
      if (key !== undefined) arrivals.addSent(key, seenMs);
    });
    let hasCome = false;
    for (const input of others) {
      const isNew = input.takeAll((line) => {
        for (const key of keys.ofReceived(line)) arrivals.addReceived(key, seenMs);
      });
      hasCome ||= isNew;
    }
    if (hasGrown) grownMs = nowMs;
    if (hasGrown || hasCome) newMs = nowMs;
    if (arrivals.isComplete && nowMs - grownMs >= SETTLED_MS) return;
    if (nowMs - newMs >= waitMs) return;
    await clock.sleep(resolutionMs);
  }
}

/** The lines of an input that grows. */
class Followed {
  readonly #input: GrowingInput;
  /** The beginning of a line whose LF has not come. */
  #rest = '';

  constructor(input: GrowingInput) {
    this.#input = input;
  }

  /** Takes all that has come. @returns whether anything has */
  takeAll(takeLine: (line: string) => void): boolean {
    let hasCome = false;
    for (let bytes = this.#input.look(); bytes !== undefined; bytes = this.#input.look()) {
      hasCome = true;
      this.#input.keep(bytes);
      const lines = (this.#rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')).split('\n');
      this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE_BYTES);
      for (const line of lines) takeLine(line);
    }
    return hasCome;
  }
}
