import { RESOLUTION_MS } from '../input/follower.js';
import type { CanaryClock } from './clock.js';
import type { Ledger } from './ledger.js';

/** A received input that grows. */
export interface WatchedInput {
  /** The name in findings. */
  readonly source: string;
  /** The bytes that have come since the last look; undefined if there are none. Valid until the next look. */
  readonly look: () => Buffer | undefined;
  /** True while bytes may be there that a look does not show yet: another file has the name. */
  readonly isBehind: boolean;
  /** True once everything has been given and no more can come: the end of a stream. */
  readonly hasEnded: boolean;
}

/** The parts of a run. */
interface WatchOptions {
  readonly ledger: Ledger;
  readonly inputs: readonly WatchedInput[];
  readonly clock: CanaryClock;
  /** Writes the traffic until it has ended or the signal is aborted. Returns when no more is written. */
  readonly write: (signal: AbortSignal) => Promise<void>;
  /** Ends the writing. */
  readonly signal: AbortSignal;
  /** Ends the run at once: nothing more is decided. */
  readonly abandoned: AbortSignal;
  /** Called after each look. */
  readonly onLook: () => void;
  /** Called when all received inputs have ended. */
  readonly onInputsEnd: () => void;
}

/** After the writing, nothing of this run has come for so long: the run ends. */
const SILENCE_MS = 1000;

/** The number of blocks after which other work of the process is done, such as that of signals. */
const BLOCKS_AT_A_TIME = 16;

/**
 * Has traffic written, follows what arrives, and has everything decided when it is due, until the writing has ended and everything has
 * come or is due.
 *
 * @throws what writing and reading throw
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { ledger, inputs, clock, write, abandoned, onLook, onInputsEnd } = options;
  const { lateMs } = ledger;
  const writing = new AbortController();
  const stop = (): void => {
    writing.abort(options.signal.reason);
  };
  options.signal.addEventListener('abort', stop, { once: true });
  if (options.signal.aborted) stop();
  const failures: unknown[] = [];
  let writtenMs: number | undefined;
  const written = write(writing.signal).then(
    () => (writtenMs = clock.now()),
    (error: unknown) => failures.push(error),
  );
  const reader = new Reader(ledger, inputs, clock);
  try {
    for (;;) {
      const nowMs = clock.now();
      await reader.readAll();
      if (ledger.isDue(nowMs)) await reader.readToEnd(nowMs + lateMs);
      ledger.decide(nowMs);
      onLook();
      if (failures.length > 0) throw failures[0];
      if (abandoned.aborted) return;
      if (inputs.every(({ hasEnded }) => hasEnded)) {
        onInputsEnd();
        break;
      }
      if (writtenMs !== undefined) {
        const isSilent = ledger.outstanding === 0 && nowMs - ledger.latestMs >= SILENCE_MS;
        if (isSilent || nowMs - writtenMs >= lateMs) break;
      }
      await clock.sleep(RESOLUTION_MS);
    }
  } finally {
    stop();
    await written;
    options.signal.removeEventListener('abort', stop);
  }
  if (failures.length > 0) throw failures[0];
  await reader.readAll();
  ledger.end(clock.now());
  onLook();
}

/** Reads received inputs. */
class Reader {
  readonly #ledger: Ledger;
  readonly #inputs: readonly WatchedInput[];
  readonly #clock: CanaryClock;
  readonly #ended = new Set<WatchedInput>();

  constructor(ledger: Ledger, inputs: readonly WatchedInput[], clock: CanaryClock) {
    this.#ledger = ledger;
    this.#inputs = inputs;
    this.#clock = clock;
  }

  /** Reads what is there at present. @returns true if anything was */
  async readAll(): Promise<boolean> {
    let blocks = 0;
    for (const [index, input] of this.#inputs.entries()) {
      for (let bytes = input.look(); bytes !== undefined; bytes = input.look()) {
        this.#ledger.receive(index, bytes, this.#clock.now());
        blocks += 1;
        if (blocks % BLOCKS_AT_A_TIME === 0) await this.#clock.sleep(0);
      }
      if (!input.hasEnded || this.#ended.has(input)) continue;
      this.#ended.add(input);
      this.#ledger.endInput(index, this.#clock.now());
    }
    return blocks > 0;
  }

  /** Reads until nothing more is there, however long the process was stopped; until a moment at most. */
  async readToEnd(untilMs: number): Promise<void> {
    for (let isDry = false; !isDry && this.#clock.now() < untilMs;) {
      const isBehind = this.#inputs.some((input) => input.isBehind);
      // What came through a pipe is seen in a later turn of the event loop.
      await this.#clock.sleep(isBehind ? RESOLUTION_MS : 0);
      isDry = !(await this.readAll()) && !isBehind;
    }
  }
}
