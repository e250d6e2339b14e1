import { countOf } from '../wording.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import type { Destination, Output } from '../output/destination.js';
import { writePieces } from '../output/pack.js';
import type { Anchor, Pacer } from '../output/pacer.js';
import { renderPieces, textRenderer, type PieceBatches } from '../output/piece.js';
import { renderGroupPieces } from '../output/render-groups.js';
import { RowFormatter, LIST_HEADER } from '../requests/list/format-row.js';
import { say } from './messages.js';
import type { CommandRun } from './command-run.js';
import type { BreakLog } from './run-faults.js';

/** Options of `writeRequests`. */
interface WriteOptions {
  readonly form: 'log' | 'requests';
  /** True if a list begins with its header. Default true. */
  readonly hasHeader?: boolean;
  readonly deployment: Deployment;
  /** The pace in real time, in multiples of the recorded pace; undefined for as fast as possible. */
  readonly speed: number | undefined;
  /** Left out, the first request is written at once, and moments are counted from it. */
  readonly anchor?: Anchor | undefined;
  /** True while more requests will come without a wait; used only without `speed`. */
  readonly hasMore: () => boolean;
  /** Breaks a log by faults; undefined for none. */
  readonly breakLog?: BreakLog | undefined;
}

/** Writes requests as a log or a list. In real time, a last message says how late they were. @throws StoppedError */
export async function writeRequests(
  requests: Batches<LogRequest>,
  destination: Destination,
  options: WriteOptions,
  run: CommandRun,
): Promise<void> {
  const { form, hasHeader = true, speed, anchor, breakLog } = options;
  const head = form === 'requests' && hasHeader ? Buffer.from(LIST_HEADER) : undefined;
  let { hasMore } = options;
  let pieces = render(requests, options);
  let output: Output = destination;
  if (breakLog !== undefined) ({ pieces, output } = breakLog(pieces, output));
  if (speed !== undefined) {
    const { Pacer, systemClock } = await import('../output/pacer.js');
    const pacer = new Pacer({ speed, anchor, clock: systemClock(run.signal) });
    pieces = pacer.pace(pieces);
    // Pieces from the pacer are due: they are written without a look at what comes next.
    hasMore = () => false;
    run.atEnd(() => {
      sayLateness(pacer, destination.noun);
    });
  }
  await writePieces(pieces, output, run.signal, { hasMore, head });
}

function render(requests: Batches<LogRequest>, { form, deployment }: WriteOptions): PieceBatches<LogRequest> {
  if (form === 'log') return renderGroupPieces(requests, deployment);
  const rows = new RowFormatter(deployment.timezone);
  return renderPieces(
    requests,
    textRenderer((request) => rows.format(request), 'latin1'),
  );
}

function sayLateness({ lateness }: Pacer, noun: string): void {
  const { count, p50, p99, max } = lateness;
  if (count === 0) return;
  const inMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
  say(`${countOf(count, noun)} in real time, late by ${inMs(p50)} (p50), ${inMs(p99)} (p99), ${inMs(max)} (max)`);
}
