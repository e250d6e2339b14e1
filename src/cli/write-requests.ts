import type { EnvelopeName } from '../envelope/envelopes.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import type { Destination } from '../output/destination.js';
import { toPieces } from '../output/log-pieces.js';
import { writePieces } from '../output/pack.js';
import type { Anchor, Pacer } from '../output/pacer.js';
import { LIST_HEADER } from '../requests/list/format-row.js';
import { countOf } from '../wording.js';
import type { CommandRun } from './command-run.js';
import { say } from './messages.js';
import type { BreakLog } from './run-faults.js';

/** Options of `writeRequests`. */
interface WriteOptions {
  readonly form: 'log' | 'requests';
  /** True if a list begins with its header. Default true. */
  readonly hasHeader?: boolean;
  readonly deployment: Deployment;
  /** The envelope of each record. */
  readonly envelope?: EnvelopeName | undefined;
  /** The pace in real time, in multiples of the recorded pace; undefined for as fast as possible. */
  readonly speed: number | undefined;
  /** Left out, the first request is written at once, and moments are counted from it. */
  readonly anchor?: Anchor | undefined;
  /** True while more requests will come without a wait; used only without `speed`. */
  readonly hasMore: () => boolean;
  /** Breaks a log by faults; undefined for none. */
  readonly startBreaking?: BreakLog | undefined;
}

/** Writes requests as a log or a list. In real time, a last message says how late they were. @throws StoppedError */
export async function writeRequests(
  requests: Batches<LogRequest>,
  destination: Destination,
  { form, hasHeader = true, deployment, envelope, speed, anchor, hasMore, startBreaking }: WriteOptions,
  run: CommandRun,
): Promise<void> {
  const head = form === 'requests' && hasHeader ? Buffer.from(LIST_HEADER) : undefined;
  const { breakLog, afterWrite } = startBreaking?.() ?? {};
  const pacer = speed === undefined ? undefined : await startPacer(speed, anchor, run, destination);
  const pieces = toPieces(requests, { form, deployment, breakLog, pacer, envelope });
  // Pieces from the pacer are due: they are written without a look at what comes next.
  const inBatches = pacer === undefined ? hasMore : () => false;
  await writePieces(pieces, destination, run.signal, { hasMore: inBatches, head, afterWrite });
}

async function startPacer(speed: number, anchor: Anchor | undefined, run: CommandRun, output: Destination): Promise<Pacer> {
  const { Pacer, systemClock } = await import('../output/pacer.js');
  const pacer = new Pacer({ speed, anchor, clock: systemClock(run.signal) });
  run.atEnd(() => {
    sayLateness(pacer, output.noun);
  });
  return pacer;
}

function sayLateness({ lateness: { count, summary } }: Pacer, noun: string): void {
  if (summary === undefined) return;
  const inMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
  const { p50, p99, max } = summary;
  say(`${countOf(count, noun)} in real time, late by ${inMs(p50)} (p50), ${inMs(p99)} (p99), ${inMs(max)} (max)`);
}
