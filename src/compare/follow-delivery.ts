import type { ArrivalKeys } from './arrival-keys.js';
import type { Arrivals } from './arrivals.js';

/** An input that grows. */
export interface GrowingInput {
  /** Looks for bytes that have come since the last look; undefined if there are none. Good until the next look. */
  readonly look: () => Buffer | undefined;
  /** Keeps bytes that have come, to be compared when all has. */
  readonly keep: (bytes: Buffer) => void;
}

/** Tells the time in milliseconds, and lets it pass. */
interface FollowClock {
  readonly now: () => number;
  /** Waits; with 0, only for what else the process has to do. @throws when the following is to end */
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

/** Signals are heard after so many chunks. */
const CHUNKS_AT_A_TIME = 16;

/**
 * Follows the expected log and what is received until all that was sent has come and the expected log has not grown for a second, or
 * until nothing new has come to either for a given time. A record waits for its LF.
 *
 * @returns `complete` if all has come, `timeout` if nothing new came for `waitMs`
 */
export async function followDelivery(
  expected: GrowingInput,
  received: readonly GrowingInput[],
  { keys, arrivals, clock, waitMs, resolutionMs }: FollowOptions,
): Promise<'complete' | 'timeout'> {
  const startMs = clock.now();
  let grownMs = startMs;
  let newMs = startMs;
  // Records that are there at the start have no known moment.
  let seenMs = NaN;
  const sent = new Followed(expected, (line) => {
    const key = keys.ofSent(line);
    if (key !== undefined) arrivals.addSent(key, seenMs);
  });
  const others = received.map(
    (input) =>
      new Followed(input, (line) => {
        for (const key of keys.ofReceived(line)) arrivals.addReceived(key, seenMs);
      }),
  );
  for (;;) {
    const before = sent.chunks;
    const nowMs = clock.now();
    const chunks = await takeAll(sent, others, clock);
    if (sent.chunks > before) grownMs = clock.now();
    if (chunks > 0) newMs = clock.now();
    if (arrivals.isComplete && nowMs - grownMs >= SETTLED_MS) return 'complete';
    if (nowMs - newMs >= waitMs) return 'timeout';
    await clock.sleep(resolutionMs);
    seenMs = clock.now();
  }
}

/** Takes all that has come, from both sides in step: so that few records wait for their counterparts. Gives the number of chunks. */
async function takeAll(sent: Followed, received: readonly Followed[], clock: FollowClock): Promise<number> {
  for (let chunks = 0; ; chunks += 1) {
    const lines = received.reduce((sum, input) => sum + input.lines, 0);
    const inTurn = sent.lines <= lines ? [sent, ...received] : [...received, sent];
    if (!inTurn.some((input) => input.take())) return chunks;
    if (chunks % CHUNKS_AT_A_TIME === CHUNKS_AT_A_TIME - 1) await clock.sleep(0);
  }
}

/** The lines of an input that grows. */
class Followed {
  /** The number of chunks and of lines that have come. */
  chunks = 0;
  lines = 0;
  readonly #input: GrowingInput;
  readonly #takeLine: (line: string) => void;
  /** The beginning of a line whose LF has not come. */
  #rest = '';

  /** @param takeLine called with each line, a byte string without LF */
  constructor(input: GrowingInput, takeLine: (line: string) => void) {
    this.#input = input;
    this.#takeLine = takeLine;
  }

  /** Takes a chunk of what has come; false if nothing has. */
  take(): boolean {
    const bytes = this.#input.look();
    if (bytes === undefined) return false;
    this.#input.keep(bytes);
    const lines = (this.#rest + bytes.toString('latin1')).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE_BYTES);
    for (const line of lines) this.#takeLine(line);
    this.chunks += 1;
    this.lines += lines.length;
    return true;
  }
}
