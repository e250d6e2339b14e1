import { countOf } from '../wording.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import type { Destination } from '../output/destination.js';
import { pack } from '../output/pack.js';
import { Pacer, systemClock, type Anchor } from '../output/pacer.js';
import type { PieceBatches } from '../output/piece.js';
import { renderGroupPieces } from '../output/render-groups.js';
import { renderTexts } from '../output/render-texts.js';
import { writeChunks } from '../output/write-chunks.js';
import { RowFormatter } from '../requests/list/format-list.js';
import { LIST_HEADER } from '../requests/list/format-row.js';
import type { RequestForm } from './options/request-forms.js';
import { withLastWord } from './last-word.js';
import { say } from './messages.js';

/** How requests are to be written. */
interface WriteOptions {
  readonly form: RequestForm;
  /** Whether a list begins with its header. */
  readonly hasHeader?: boolean;
  readonly deployment: Deployment;
  /** How many times as fast as recorded each comes at its moment; left out, all come at once. */
  readonly speed: number | undefined;
  readonly anchor?: Anchor;
  /** Whether more requests will come without a wait, if they come at once. */
  readonly hasMore: () => boolean;
}

/** Writes requests to a log, in real time if need be; says then how late they were. @throws StoppedError */
export async function writeRequests(
  requests: Batches<LogRequest>,
  log: Destination,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<void> {
  const { speed, anchor, hasMore } = options;
  const pieces = render(requests, options);
  if (speed === undefined) {
    await write(pieces, hasMore, log, options, signal);
    return;
  }
  const pacer = new Pacer({ speed, anchor, clock: systemClock(signal) });
  await withLastWord(
    // What the pacer gives is due: it is written, whatever comes next.
    () => write(pacer.pace(pieces), () => false, log, options, signal),
    () => {
      sayLateness(pacer, log.output.noun);
    },
  );
}

/** What is counted. */
export function nounOf(form: RequestForm): string {
  return form === 'log' ? 'group' : 'row';
}

async function write(
  pieces: PieceBatches,
  hasMore: () => boolean,
  { output }: Destination,
  { form, hasHeader = true }: WriteOptions,
  signal: AbortSignal,
): Promise<void> {
  const head = form === 'requests' && hasHeader ? Buffer.from(LIST_HEADER) : undefined;
  await writeChunks(pack(pieces, hasMore, head), output, signal);
}

function render(requests: Batches<LogRequest>, { form, deployment }: WriteOptions): PieceBatches<LogRequest> {
  if (form === 'log') return renderGroupPieces(requests, deployment);
  const rows = new RowFormatter(deployment.timezone);
  return renderTexts(requests, (request) => rows.format(request), 'latin1');
}

function sayLateness({ lateness }: Pacer, noun: string): void {
  const { count, p50, p99, max } = lateness;
  if (count === 0) return;
  const shown = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
  say(`${countOf(count, noun)} in real time, late by ${shown(p50)} (p50), ${shown(p99)} (p99), ${shown(max)} (max)`);
}
