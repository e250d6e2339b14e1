import { setTimeout } from 'node:timers/promises';
import { arrivalKeys } from '../../compare/arrival-keys.js';
import { Arrivals } from '../../compare/arrivals.js';
import type { ComparedSource } from '../../compare/compare-options.js';
import { followDelivery, type GrowingInput } from '../../compare/follow-delivery.js';
import { digestBytes } from '../../compare/digest.js';
import { LossyDigester } from '../../compare/lossy.js';
import { Spill } from '../../compare/spill.js';
import { CallError, StoppedError } from '../../errors.js';
import { FileFollower } from '../../input/file-follower.js';
import { StreamFollower } from '../../input/stream-follower.js';
import { formatCount, formatDuration } from '../../wording.js';
import { say } from '../messages.js';
import { STDIN } from '../open-source.js';
import { withDestination } from '../with-destination.js';
import type { CompareRunOptions } from './options.js';
import { writeReport } from './write-report.js';

/** The time between looks at files that are followed. */
const RESOLUTION_MS = 20;

const NOT_MEASURED = { p50: null, p99: null, max: null } as const;

/** Follows both sides, then compares what has come. A signal ends the following, not the report. */
export async function compareGrowing(
  expected: string,
  received: readonly (string | undefined)[],
  options: CompareRunOptions,
  waitMs: number,
): Promise<void> {
  const names = [expected, ...received];
  if (names.includes(undefined) && process.stdin.isTTY) {
    throw new CallError({ source: 'compare' }, 'no received input is given', 'name the file that grows, or pipe it in');
  }
  await withDestination({
    outputFile: options.outputFile,
    noun: 'finding',
    open: () => Promise.resolve(names.map((name) => new KeptInput(name ?? STDIN))),
    usedFiles: () => [],
    quiet: options.quiet,
    reportsOnSignal: true,
    work: async (inputs, { output }, signal) => {
      const [sent, ...delivered] = inputs;
      if (sent === undefined) return undefined;
      try {
        const arrivals = new Arrivals(options.isLossy ? new LossyDigester().digest : digestBytes);
        const keys = arrivalKeys(options.comparison, options.kind);
        const sleep = (delayMs: number): Promise<void> => setTimeout(delayMs, undefined, { signal });
        const clock = { now: () => performance.now(), sleep };
        let end: 'complete' | 'timeout' | undefined;
        try {
          end = await followDelivery(sent, delivered, { keys, arrivals, clock, waitMs, resolutionMs: RESOLUTION_MS });
        } catch (error) {
          if (!signal.aborted) throw error;
        }
        const unusable = await writeReport(sent, delivered, {
          options,
          output,
          signal: new AbortController().signal,
          latency: { ...(arrivals.latency ?? NOT_MEASURED), resolution: RESOLUTION_MS },
        });
        if (signal.aborted) throw new StoppedError(signal.reason, output.written, undefined, output.noun);
        const within = end === 'timeout' ? ` within ${formatWait(waitMs)}` : '';
        for (const input of delivered) if (!input.hasAppeared) say(refuseUnseen(input, within).message);
        return sent.hasAppeared ? unusable : refuseUnseen(sent, within);
      } finally {
        for (const input of inputs) input.close();
      }
    },
  });
}

/** Makes the error for a file that never existed. @param within ` within 3 s`; empty where the following ended earlier */
function refuseUnseen({ source }: KeptInput, within: string): CallError {
  return new CallError({ source }, `did not appear${within}`, 'check its name');
}

function formatWait(waitMs: number): string {
  return waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`;
}

/** An input that is followed, and a copy of all that came: a rotation or truncation may take that away. */
class KeptInput implements GrowingInput, ComparedSource {
  readonly source: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly #follower: FileFollower | StreamFollower;
  readonly #copy = new Spill();

  /** @param name a file, or `STDIN` */
  constructor(name: string) {
    this.source = name === STDIN ? '<stdin>' : name;
    this.#follower = name === STDIN ? new StreamFollower(process.stdin, this.source) : new FileFollower(name);
    this.chunks = this.#read();
  }

  /** True for standard input, and once there has been a file of the name. */
  get hasAppeared(): boolean {
    return this.#follower.hasAppeared;
  }

  readonly look = (): Buffer | undefined => this.#follower.look();

  readonly keep = (bytes: Buffer): void => {
    this.#copy.append(bytes);
  };

  readonly readAt = (buffer: Uint8Array, position: number): number => {
    const length = Math.min(buffer.length, this.#copy.length - position);
    if (length <= 0) return 0;
    buffer.set(this.#copy.read(position, length));
    return length;
  };

  close(): void {
    this.#follower.close();
    this.#copy.close();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let position = 0; position < this.#copy.length; position += buffer.length) {
      yield await Promise.resolve(buffer.subarray(0, this.readAt(buffer, position)));
    }
  }
}

const COPY_BYTES = 1 << 18;
