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
  // Records that are there at the start have no known moment.
  const state = { seenMs: NaN, isEnding: false };
  const blocks = {
    sent: readGrowing([expected], [sentReader], state),
    received: readGrowing(received, receivedReaders, state),
  };
  const startMs = clock.now();
  let newMs = startMs;
  let hasGrown = false;
  let count = 0;
  /** Compares what there is at present. */
  const compareAll = async function* (): AsyncGenerator<readonly ComparisonFinding[]> {
    join.sent.isDry = false;
    join.received.isDry = false;
    for (let need = join.next(); need !== undefined; need = join.next()) {
      if (need === 'decision') {
        yield* comparer.settle.decide(false);
      } else if (feed(join[need], blocks[need])) {
        count += 1;
        if (count % BLOCKS_AT_A_TIME === 0) await clock.sleep(0);
        state.isEnding ||= signal.aborted;
      }
    }
  };
  onStart?.(() => progressOf(comparer, startMs, clock.now()));
  try {
    for (let isWaiting = true; isWaiting && !signal.aborted; state.seenMs = clock.now()) {
      const before = count;
      yield* compareAll();
      if (count > before) newMs = clock.now();
      hasGrown ||= count > before && !Number.isNaN(state.seenMs);
      isWaiting = clock.now() - newMs < waitMs;
      if (isWaiting) await clock.sleep(resolutionMs);
    }
    state.isEnding = true;
    yield* compareAll();
    yield* comparer.settle.decide(true);
    onEnd?.({ summary: comparer.summary, latency: latencies.summary, hasGrown });
  } finally {
    comparer.close();
  }
}

/** Gives a side its next block; false if there is none at present. */
function feed(side: Side, blocks: Iterator<RecordBlock | undefined, undefined>): boolean {
  side.keep();
  const { value } = blocks.next();
  if (value === undefined) side.isDry = true;
  else side.append(value);
  return value !== undefined;
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

/** The state of the following. */
interface FollowState {
  /** When bytes are seen that have come; NaN for those that were there at the start. */
  readonly seenMs: number;
  /** True if no more bytes are looked for. */
  readonly isEnding: boolean;
}

/** Reads inputs that grow, in the order in which they do; gives undefined where nothing has come. At the end, a last line may have no LF. */
function* readGrowing(
  inputs: readonly GrowingInput[],
  readers: readonly RecordReader[],
  state: FollowState,
): Generator<RecordBlock | undefined, undefined> {
  for (let next = 0, quiet = 0; !state.isEnding; next = (next + 1) % inputs.length) {
    const bytes = inputs[next]?.look();
    quiet = bytes === undefined ? quiet + 1 : 0;
    if (bytes !== undefined) yield* readers[next]?.read(bytes, state.seenMs) ?? [];
    else if (quiet >= inputs.length) {
      quiet = 0;
      yield undefined;
    }
  }
  // The moment of a last line without LF is not known.
  for (const reader of readers) yield* reader.end(NaN);
}
