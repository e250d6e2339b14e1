import { requireOptions } from '../arguments.js';
import { Comparer } from './comparer.js';
import type { ComparisonFinding, ComparisonSummary, LatencySummary } from './findings.js';
import { COMPARE_OPTIONS, type CompareOptions } from './options.js';
import type { RecordBlock, RecordReader } from './records.js';
import type { Side } from './side.js';

/** An input that grows. */
export interface GrowingInput {
  /** The name in findings. */
  readonly source: string;
  /** Looks for bytes that have come since the last look. Returns undefined if there are none; bytes are valid until the next look. */
  readonly look: () => Buffer | undefined;
}

/** Tells the time in milliseconds, and lets it pass. */
interface FollowClock {
  readonly now: () => number;
  /** Waits; with 0, only for what else the process has to do. */
  readonly sleep: (delayMs: number) => Promise<void>;
}

/** The numbers of a comparison that is under way. */
export interface FollowProgress {
  readonly sent: number;
  readonly delivered: number;
  /** Records that were sent and have not come. */
  readonly outstanding: number;
  /** The age of the oldest of them, in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
}

interface FollowOptions extends Omit<CompareOptions, 'onEnd'> {
  readonly clock: FollowClock;
  /** Milliseconds without anything new on any input after which the comparison ends. */
  readonly waitMs: number;
  /** The time between looks, in milliseconds. */
  readonly resolutionMs: number;
  /** Ends the following: what has come is compared. */
  readonly signal: AbortSignal;
  /** Called at the beginning with a function that measures how far the comparison is. */
  readonly onStart?: (measure: () => FollowProgress) => void;
  readonly onEnd?: (end: FollowEnd) => void;
}

/** The end of a comparison of growing logs. */
export interface FollowEnd {
  readonly summary: ComparisonSummary;
  /** Undefined where no record was seen to appear on both sides. */
  readonly latency: LatencySummary | undefined;
  /** True if bytes came that were not there at the start. */
  readonly hasGrown: boolean;
}

/** The number of blocks after which other work of the process is done, such as that of signals. */
const BLOCKS_AT_A_TIME = 16;

/**
 * Compares logs that grow, until nothing new has come to any of them for a given time. Gives findings as `compareLogs` does. A record
 * waits for its LF; at the end, what stands after the last LF is a record.
 */
export async function* followLogs(
  expected: GrowingInput,
  received: readonly GrowingInput[],
  { clock, waitMs, resolutionMs, signal, onStart, onEnd, ...options }: FollowOptions,
): AsyncGenerator<readonly ComparisonFinding[]> {
  requireOptions(options, 'options', COMPARE_OPTIONS);
  const names = received.map(({ source }) => ({ source }));
  const comparer = new Comparer({ source: expected.source }, names, options, true);
  const { join, sentReader, receivedReaders, latencies } = comparer;
  const sides = {
    sent: new GrowingBlocks([expected], [sentReader]),
    received: new GrowingBlocks(received, receivedReaders),
  };
  const startMs = clock.now();
  let newMs = startMs;
  let hasGrown = false;
  // Records that are there at the start have no known moment.
  let seenMs = NaN;
  let blocks = 0;
  /** Compares what there is at present. */
  const compareAll = async function* (): AsyncGenerator<readonly ComparisonFinding[]> {
    for (const side of SIDES) join[side].isDry = false;
    for (let need = join.next(); need !== undefined; need = join.next()) {
      if (need === 'decision') {
        yield* comparer.settle.decide(false);
      } else if (feed(join[need], sides[need], seenMs)) {
        blocks += 1;
        if (blocks % BLOCKS_AT_A_TIME === 0) await clock.sleep(0);
        if (signal.aborted) for (const side of SIDES) sides[side].stop();
      }
    }
  };
  onStart?.(() => progressOf(comparer, startMs, clock.now()));
  try {
    for (let isWaiting = true; isWaiting && !signal.aborted; seenMs = clock.now()) {
      const before = blocks;
      yield* compareAll();
      if (blocks > before) newMs = clock.now();
      hasGrown ||= blocks > before && !Number.isNaN(seenMs);
      isWaiting = clock.now() - newMs < waitMs;
      if (isWaiting) await clock.sleep(resolutionMs);
    }
    // The moment of a last line without LF is not known.
    seenMs = NaN;
    for (const side of SIDES) sides[side].end();
    yield* compareAll();
    yield* comparer.settle.decide(true);
    onEnd?.({ summary: comparer.summary, latency: latencies.summary, hasGrown });
  } finally {
    comparer.close();
  }
}

const SIDES = ['sent', 'received'] as const;

/** Gives a side its next block; false if there is none at present. */
function feed(side: Side, blocks: GrowingBlocks, seenMs: number): boolean {
  side.keep();
  const block = blocks.next(seenMs);
  if (block === undefined) side.isDry = true;
  else side.append(block);
  return block !== undefined;
}

function progressOf({ join, summary }: Comparer, startMs: number, nowMs: number): FollowProgress {
  const { waitingSent } = join;
  const seenMs = waitingSent.size === 0 ? nowMs : waitingSent.at(waitingSent.first).seenMs;
  return {
    sent: summary.recordsSent,
    delivered: summary.recordsDelivered - waitingSent.size,
    outstanding: waitingSent.size,
    oldestMs: nowMs - (Number.isNaN(seenMs) ? startMs : seenMs),
  };
}

/** The records of inputs that grow, in the order in which they come. */
class GrowingBlocks {
  readonly #inputs: readonly GrowingInput[];
  readonly #readers: readonly RecordReader[];
  /** The blocks of the bytes that were seen last. */
  #blocks: Iterator<RecordBlock> = [].values();
  #mode: 'look' | 'stopped' | 'end' = 'look';
  /** The input that is looked at next. */
  #next = 0;

  constructor(inputs: readonly GrowingInput[], readers: readonly RecordReader[]) {
    this.#inputs = inputs;
    this.#readers = readers;
  }

  /** No more bytes are looked for. */
  stop(): void {
    this.#mode = 'stopped';
  }

  /** No more bytes are looked for, and what is left of each input is given: a last line without LF. */
  end(): void {
    this.#mode = 'end';
    this.#next = 0;
  }

  /** The next block; undefined if there is none at present. */
  next(seenMs: number): RecordBlock | undefined {
    for (;;) {
      const block = this.#blocks.next();
      if (block.done !== true) return block.value;
      const blocks = this.#mode === 'look' ? this.#look(seenMs) : this.#mode === 'end' ? this.#readEnd(seenMs) : undefined;
      if (blocks === undefined) return undefined;
      this.#blocks = blocks[Symbol.iterator]();
    }
  }

  /** Looks at each input once, from the one behind that of the last bytes. */
  #look(seenMs: number): Iterable<RecordBlock> | undefined {
    for (let count = this.#inputs.length; count > 0; count -= 1) {
      const input = this.#next;
      this.#next = (input + 1) % this.#inputs.length;
      const bytes = this.#inputs[input]?.look();
      if (bytes !== undefined) return this.#readers[input]?.read(bytes, seenMs);
    }
    return undefined;
  }

  #readEnd(seenMs: number): Iterable<RecordBlock> | undefined {
    const reader = this.#readers[this.#next];
    this.#next += 1;
    return reader?.end(seenMs);
  }
}
