import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { followedLatency } from '../findings/latencies.js';
import type { Follower, Growth } from '../input/follower.js';
import { Comparer, type Blocks, type ReadInput } from './compare-logs.js';
import type { ComparisonFinding } from './findings.js';
import type { CompareOptions } from './options.js';

export type GrowingInput = Pick<Follower, 'source' | 'look' | 'rest'>;

/** Numbers of records, and the age of the oldest outstanding record: 0 if there is none. */
export type FollowProgress = Readonly<Record<'sent' | 'delivered' | 'outstanding' | 'oldestMs', number>>;

interface FollowOptions extends CompareOptions {
  readonly clock: {
    readonly now: () => number;
    /** Waits; with 0, only for what else the process has to do. */
    readonly sleep: (delayMs: number) => Promise<void>;
  };
  readonly waitMs: number;
  readonly resolutionMs: number;
  readonly signal: AbortSignal;
}

interface Following {
  readonly findings: AsyncIterable<readonly ComparisonFinding[]>;
  readonly progress: () => FollowProgress;
  /** True once bytes have come that were not there at the start. */
  readonly hasGrown: () => boolean;
}

/** After this many blocks other work of the process is done, such as that of signals. */
const BLOCKS_AT_A_TIME = 16;

/** Compares logs that grow, until nothing new has come to any of them for a given time. A last line without LF counts at the end. */
export function followLogs(
  expected: GrowingInput,
  received: readonly GrowingInput[],
  { clock, waitMs, resolutionMs, signal, ...options }: FollowOptions,
): Following {
  const { envelope, fields } = options;
  // Of parsed fields, only the expected log can be in an envelope.
  const opened = envelope === 'none' ? [] : [expected, ...(fields === undefined ? received : [])];
  const openers = opened.map(() => new EnvelopeOpener({ givesStamps: fields !== undefined, isGrowing: true }));
  const comparer = new Comparer([expected, ...received], options, openers, true);
  const startMs = clock.now();
  let [count, hasGrown, isEnding] = [0, false, false];
  /** Reads what is there of the inputs, in the order given; undefined where nothing has come. */
  const readGrowing = async function* (inputs: readonly ReadInput<GrowingInput>[]): Blocks {
    for (; !isEnding; yield undefined) {
      for (const { input, reader } of inputs) {
        const look = (): Growth | undefined => (isEnding ? undefined : input.look(clock.now()));
        for (let growth = look(); growth !== undefined; growth = look()) {
          // The rest of a block of one side waits while the other side is looked at.
          for (const block of reader.read(Buffer.from(growth.bytes))) {
            count += 1;
            if (count % BLOCKS_AT_A_TIME === 0) await clock.sleep(0);
            isEnding ||= signal.aborted;
            yield growth.isOld ? { ...block, isUnordered: true } : block;
          }
        }
      }
    }
    for (const { input, reader } of inputs) {
      for (const { bytes } of input.rest()) yield* reader.read(bytes);
      yield* reader.read(undefined);
    }
    return undefined;
  };
  /** The moments of records that are there at the start, and of lines without LF at the end, are not known. */
  const lookOn = async function* (): AsyncGenerator<number> {
    let [newMs, seenMs] = [startMs, NaN];
    for (let isWaiting = true; isWaiting && !signal.aborted; seenMs = clock.now()) {
      const before = count;
      yield seenMs;
      if (count > before) newMs = clock.now();
      hasGrown ||= count > before && !Number.isNaN(seenMs);
      isWaiting = clock.now() - newMs < waitMs;
      if (isWaiting) await clock.sleep(resolutionMs);
    }
    isEnding = true;
    yield NaN;
  };
  const findings = async function* (): AsyncGenerator<readonly ComparisonFinding[]> {
    yield* comparer.compare(readGrowing, lookOn());
    const latency = followedLatency(comparer.join.latencies.summary, resolutionMs);
    options.onEnd?.({ ...comparer.summary, latency });
  };
  const progress = (): FollowProgress => {
    const { recordsSent, recordsDelivered } = comparer.summary;
    const { size, first } = comparer.join.sent.waiting;
    const nowMs = clock.now();
    const seenMs = size === 0 ? nowMs : comparer.join.sent.waiting.at(first).seenMs;
    const oldestMs = nowMs - (Number.isNaN(seenMs) ? startMs : seenMs);
    return { sent: recordsSent, delivered: recordsDelivered - size, outstanding: size, oldestMs };
  };
  return { findings: findings(), progress, hasGrown: () => hasGrown };
}
