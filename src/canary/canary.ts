import { StoppedError } from '../errors.js';
import { followPath, followStream } from '../input/follower.js';
import { openDestination } from '../output/open-destination.js';
import type { CanaryFinding, CanarySnapshot } from './findings.js';
import { settingsOf, type CanaryOptions } from './options.js';
import { CanaryRun } from './run.js';

/** A canary: what it finds, and its numbers. */
export interface Canary {
  /** Batches of findings as they are known. The canary runs from the first request for them to their end; it ends at once if they are left. */
  readonly findings: AsyncIterable<readonly CanaryFinding[]>;
  /** The numbers at present. */
  readonly snapshot: () => CanarySnapshot;
}

/**
 * Writes live traffic to a log, follows what a pipeline delivers, and tells at once what was lost, duplicated, altered, late or out of order.
 * At its end everything that was sent is delivered, missing or altered.
 * @throws TypeError if an option is unknown, or of a wrong type; DeploymentError for a deployment that is not complete
 * @throws CallError for the name of a run that cannot stand in a target, a driver without an envelope, and an address in place of a received file; the findings throw one if the log cannot be written or what is received cannot be read
 */
export function canary(options: CanaryOptions): Canary {
  const run = new CanaryRun(settingsOf(options));
  return { findings: watch(run, options), snapshot: run.snapshot };
}

async function* watch(run: CanaryRun, { log, received, ...options }: CanaryOptions): AsyncGenerator<readonly CanaryFinding[]> {
  const never = new AbortController().signal;
  const { signal = never } = options;
  const inputs = received.map((input) =>
    typeof input === 'string' ? followPath(input, 'end') : followStream(input, '<stream>'),
  );
  const file = { usedFiles: [], noun: 'group', signal: never, warn: () => undefined, followsPath: true };
  const output = await openDestination(log, { ...file, socket: { reconnects: true } });
  try {
    yield* run.watch({ output, inputs, signal });
    output.close();
  } catch (error) {
    output.close(error);
    // The number of groups that were written is that of the snapshot.
    throw error instanceof StoppedError ? error.cause : error;
  } finally {
    for (const input of inputs) input.close();
  }
}
