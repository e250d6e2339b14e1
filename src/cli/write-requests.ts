import type { Batches, LogRequest } from '../log/group.js';
import type { Destination } from '../output/destination.js';
import { toPieces, type Stages } from '../output/log-pieces.js';
import { writePieces, type WriteOptions } from '../output/pack.js';
import type { Anchor } from '../output/pacer.js';
import { countOf } from '../wording.js';
import type { CommandRun } from './command-run.js';
import { say } from './messages.js';

interface WriteRequestsOptions extends Stages<LogRequest>, WriteOptions {
  /** The pace in real time, in multiples of the recorded pace; undefined for as fast as possible. */
  readonly speed: number | undefined;
  /** Left out, the first request is written at once, and moments are counted from it. */
  readonly anchor?: Anchor | undefined;
}

/** Writes requests as a log or a list. In real time, a last message says how late they were. @throws StoppedError */
export async function writeRequests(
  requests: Batches<LogRequest>,
  output: Destination,
  run: CommandRun,
  { speed, anchor, hasMore, head, afterWrite, ...stages }: WriteRequestsOptions,
): Promise<void> {
  const { signal } = run;
  const pieces = toPieces(requests, stages);
  if (speed === undefined) {
    await writePieces(pieces, output, signal, { ...(hasMore && { hasMore }), head, afterWrite });
    return;
  }
  const { pacePieces, systemClock } = await import('../output/pacer.js');
  const lateness = new (await import('../findings/latencies.js')).Latencies();
  run.atEnd(() => {
    const { count, summary } = lateness;
    if (summary === undefined) return;
    const inMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
    const late = `${inMs(summary.p50)} (p50), ${inMs(summary.p99)} (p99), ${inMs(summary.max)} (max)`;
    say(`${countOf(count, output.noun)} in real time, late by ${late}`);
  });
  // Paced pieces are due: they are written without a look at what comes next.
  const paced = pacePieces(pieces, { speed, anchor, clock: systemClock(signal), lateness });
  await writePieces(paced, output, signal, { head, afterWrite });
}
