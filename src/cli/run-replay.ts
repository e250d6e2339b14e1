import type { Input } from '../input/input.js';
import type { Deployment } from '../log/deployment.js';
import type { Log } from '../output/open-log.js';
import { packGroups } from '../output/pack-groups.js';
import { writeChunks } from '../output/write-chunks.js';
import { escapeText } from '../quote.js';
import { readRequestList } from '../requests/csv.js';
import { orderRequests } from '../requests/order.js';
import type { Order } from '../requests/orders.js';
import type { ListedRequest } from '../requests/request.js';
import { countOf, messagesTaken, say } from './messages.js';
import { openSource } from './open-source.js';
import type { RawReplayOptions } from './replay.js';
import { resolveDeployment } from './resolve-deployment.js';
import { withLog } from './with-log.js';

/** The options as meant. */
interface ReplayOptions {
  /** Left out, standard input, unless that is a terminal; `-`, standard input. */
  readonly file: string | undefined;
  readonly outputFile: string;
  readonly deployment: Deployment;
  readonly order: Order;
  readonly skipBadRows: boolean;
}

/**
 * Runs `replay` with argument and options as they were given.
 *
 * @throws the errors that `endWith` knows
 */
export async function runReplay(file: string | undefined, raw: RawReplayOptions): Promise<void> {
  await replay({
    file,
    outputFile: raw.output ?? '-',
    deployment: resolveDeployment(raw),
    order: raw.order,
    skipBadRows: raw.onBadRow === 'skip',
  });
}

async function replay(options: ReplayOptions): Promise<void> {
  await withLog({
    outputFile: options.outputFile,
    open: (signal) => openSource(options.file, 'replay', 'request list', signal),
    work: (input, log, signal) => writeLog(input, log, options, signal),
  });
}

async function writeLog(input: Input, log: Log, options: ReplayOptions, signal: AbortSignal): Promise<void> {
  const { deployment, order, skipBadRows } = options;
  const { source } = input;
  let badRows = 0;
  const list = readRequestList(input.chunks, {
    timezone: deployment.timezone,
    source,
    ...(skipBadRows && {
      onBadRow: (error) => {
        badRows += 1;
        say(error.message);
      },
    }),
  });
  const lastSecond = order === 'strict' ? await log.findLastSecond() : undefined;
  const after = lastSecond === undefined ? undefined : { second: lastSecond, file: options.outputFile };
  const requests = orderRequests(afterMessages(list), { order, source, deployment, ...(after && { after }) });
  await writeChunks(packGroups(requests, deployment, input.hasMore), log.output, signal);
  if (badRows > 0) say(`${escapeText(source)}: ${countOf(badRows, 'bad row')} passed over`);
}

/** Holds each batch back until the messages about its bad rows have been taken. */
async function* afterMessages(batches: AsyncIterable<readonly ListedRequest[]>): AsyncGenerator<readonly ListedRequest[]> {
  for await (const batch of batches) {
    await messagesTaken();
    yield batch;
  }
}
