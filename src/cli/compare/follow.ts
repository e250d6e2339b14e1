import { setTimeout } from 'node:timers/promises';
import { arrivalKeys } from '../../compare/arrival-keys.js';
import { Arrivals } from '../../compare/arrivals.js';
import type { ComparedSource } from '../../compare/compare-options.js';
import { followDelivery, type GrowingInput } from '../../compare/follow-delivery.js';
import { digestBytes } from '../../compare/digest.js';
import { LossyDigester } from '../../compare/lossy.js';
import { Spill } from '../../compare/spill.js';
import { CallError } from '../../errors.js';
import { FileFollower } from '../../input/file-follower.js';
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
  const files = [expected, ...received].map((name) => {
    if (name !== undefined && name !== STDIN) return name;
    throw new CallError({ source: '--wait' }, 'standard input cannot be followed', 'name the file that grows');
  });
  await withDestination({
    outputFile: options.outputFile,
    noun: 'finding',
    open: () => Promise.resolve(files.map((file) => new KeptInput(file))),
    readFiles: () => [],
    showsStatus: true,
    work: async (inputs, { output }, signal) => {
      const [sent, ...delivered] = inputs;
      if (sent === undefined) return;
      const arrivals = new Arrivals(options.isLossy ? new LossyDigester().digest : digestBytes);
      const keys = arrivalKeys(options.comparison, options.kind);
      try {
        let reason: unknown;
        try {
          const clock = { now: () => performance.now(), sleep: (delayMs: number) => setTimeout(delayMs, undefined, { signal }) };
          await followDelivery(sent, delivered, { keys, arrivals, clock, waitMs, resolutionMs: RESOLUTION_MS });
        } catch (error) {
          if (!signal.aborted) throw error;
          reason = signal.reason;
        }
        const run = { options, output, signal: new AbortController().signal, hasMore: () => true };
        await writeReport(
          sent.compared,
          delivered.map(({ compared }) => compared),
          {
            ...run,
            latency: { ...(arrivals.latency ?? NOT_MEASURED), resolution: RESOLUTION_MS },
          },
        );
        if (reason instanceof Error) throw reason;
      } finally {
        for (const input of inputs) input.close();
      }
    },
  });
}

/** A file that is followed, and a copy of all that it has held: a rotation or truncation may take that away. */
class KeptInput implements GrowingInput {
  readonly #file: string;
  readonly #follower: FileFollower;
  readonly #copy = new Spill();
  #length = 0;

  constructor(file: string) {
    this.#file = file;
    this.#follower = new FileFollower(file);
  }

  readonly look = (): Buffer | undefined => this.#follower.look();

  readonly keep = (bytes: Buffer): void => {
    this.#copy.append(bytes);
    this.#length += bytes.length;
  };

  get compared(): ComparedSource {
    return { source: this.#file, chunks: this.#read() };
  }

  close(): void {
    this.#follower.close();
    this.#copy.close();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < this.#length; position += COPY_BYTES) {
      yield await Promise.resolve(this.#copy.read(position, Math.min(COPY_BYTES, this.#length - position)));
    }
  }
}

const COPY_BYTES = 1 << 18;
