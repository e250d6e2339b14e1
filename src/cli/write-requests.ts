import { countOf } from '../wording.js';
import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type Batches, type LogRequest } from '../log/group.js';
import type { Destination } from '../output/destination.js';
import { pack } from '../output/pack.js';
import { Pacer, systemClock, type Anchor } from '../output/pacer.js';
import { Scratch } from '../output/scratch.js';
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
  if (speed === undefined) {
    await write(requests, hasMore, log, options, signal);
    return;
  }
  const pacer = new Pacer({ speed, anchor, clock: systemClock(signal) });
  await withLastWord(
    // What the pacer gives is due: it is written, whatever comes next.
    () => write(pacer.pace(requests), () => false, log, options, signal),
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
  requests: Batches<LogRequest>,
  hasMore: () => boolean,
  { output }: Destination,
  { form, hasHeader = true, deployment }: WriteOptions,
  signal: AbortSignal,
): Promise<void> {
  const head = form === 'requests' && hasHeader ? Buffer.from(LIST_HEADER) : undefined;
  const chunks = pack<LogRequest>(requests, form === 'log' ? groupRenderer(deployment) : rowRenderer(deployment), hasMore, head);
  await writeChunks(chunks, output, signal);
}

function groupRenderer(deployment: Deployment): (request: LogRequest) => Uint8Array {
  const renderer = new GroupRenderer(deployment);
  return (request) => renderer.render(request);
}

function rowRenderer({ timezone }: Deployment): (request: LogRequest) => Uint8Array {
  const rows = new RowFormatter(timezone);
  const scratch = new Scratch('latin1');
  return (request) => scratch.encode(rows.format(request));
}

function sayLateness({ lateness }: Pacer, noun: string): void {
  const { count, p50, p99, max } = lateness;
  if (count === 0) return;
  const shown = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
  say(`${countOf(count, noun)} in real time, late by ${shown(p50)} (p50), ${shown(p99)} (p99), ${shown(max)} (max)`);
}
