import { DataError, refuseUse, type BadRowError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import { readAccessLog, type SkipReason } from '../../requests/access-log/read-access-log.js';
import { readRequestList } from '../../requests/list/read-list.js';
import { refuseBeforeLogEnd, type Order } from '../../requests/order.js';
import { prepareRequests } from '../../requests/prepare-requests.js';
import type { ListedRequest } from '../../requests/request.js';
import type { Timing } from '../../requests/retime.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { nameFlag } from '../flags.js';
import { openSource, STDIN } from '../inputs.js';
import { drainMessages, say } from '../messages.js';
import type { WrittenLog } from '../options/log-writer.js';
import { STDOUT } from '../options/values.js';
import { countOf, escapeText } from '../../wording.js';
import { writeRequests } from '../write-requests.js';

/** The options of `replay`. */
export interface ReplayOptions extends OutputOptions, WrittenLog, Timing {
  /** The options of reading an access log; undefined if the input is a request list. */
  readonly accessLog: { readonly prefixes?: readonly string[]; readonly everyLine: boolean } | undefined;
  readonly order: Order;
  readonly onBadRow: 'stop' | 'skip';
  /** The number of times that the list is played; may be Infinity. Left out, once. */
  readonly loop?: number | undefined;
  /** The query parameter that numbers the requests, if any. */
  readonly mark?: string | undefined;
}

type Batches = AsyncIterable<readonly ListedRequest[]>;

/**
 * Runs `replay`.
 *
 * @param file the request list or access log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runReplay(file: string | undefined, options: ReplayOptions): Promise<void> {
  const { deployment, order, retiming, pace, loop: passes = 1, mark, output: outputFile = STDOUT } = options;
  await runCommand({ ...options, noun: 'group', followsPath: pace !== undefined }, async (run) => {
    const input = await openSource(file, 'replay', 'request list', run);
    refuseStdin(file, input, options);
    const { source, hasMore } = input;
    const breakInto =
      options.faults && (await (await import('../run-faults.js')).openFaults(options.faults, { deployment }, 'replay', run));
    const counts = { requests: 0, badRows: 0, unhandled: 0, broken: 0 };
    const output = await run.openOutput(({ written }) => ({ share: shareOf(written, input, counts, options) }));
    run.atEnd(() => {
      saySkipped(counts, source);
    });
    const preparing = { order, source, deployment, passes, retiming, mark };
    let requests = prepareRequests(passReader(input, options, counts), preparing);
    const second = order === 'strict' ? await output.findLastSecond() : undefined;
    if (second !== undefined) requests = refuseBeforeLogEnd(requests, { second, file: outputFile }, { source, deployment });
    await writeRequests(requests, output, { form: 'log', deployment, speed: pace, hasMore, breakInto }, run);
    return findFault(counts, source);
  });
}

/** @throws CallError for an input that is read more often than it can be */
function refuseStdin(file: string | undefined, { stats }: Input, { loop = 1, faults }: ReplayOptions): void {
  const isStdin = file === undefined || file === STDIN;
  if (loop > 1 && (isStdin || !stats.isFile())) {
    throw refuseUse('loop', 'the input can be read only once', 'name a regular file');
  }
  if (isStdin && faults?.foreignFile === STDIN) {
    throw refuseUse('foreignFrom', 'standard input is already the request list', 'name a file');
  }
}

/**
 * Estimates the share of the groups that have been written. How many the input gives is inferred from the part that has been read; a
 * pipe and a list that is played for ever have no known end.
 */
function shareOf(
  written: number,
  input: Input,
  { requests }: ReadCounts,
  { loop: passes = 1 }: ReplayOptions,
): number | undefined {
  const readShare = input.stats.isFile() ? Math.min(1, input.counts.bytesRead / input.stats.size) : 0;
  const expected = (requests / readShare) * passes;
  return expected > 0 && expected < Infinity ? Math.min(1, written / expected) : undefined;
}

/** Makes the function that reads a pass of the input. Only the first pass is counted and reported. */
function passReader(input: Input, options: ReplayOptions, firstCounts: ReadCounts): () => Batches {
  let { blocks } = input;
  let counts: ReadCounts | undefined = firstCounts;
  return () => {
    const requests = readRequests(blocks, input.source, options, counts);
    [blocks, counts] = [input.peek(), undefined];
    return requests;
  };
}

/** Reads one pass, and reports bad rows. Each batch is held back until stderr has taken the messages. */
async function* readRequests(
  blocks: Input['blocks'],
  source: string,
  { deployment: { timezone }, accessLog, onBadRow: action }: ReplayOptions,
  counts: ReadCounts | undefined,
): Batches {
  const onSkipped = (reason: SkipReason | 'badRows'): void => {
    if (counts !== undefined) counts[reason] += 1;
  };
  const onBadRow = (error: BadRowError): void => {
    onSkipped('badRows');
    if (counts !== undefined) say(error.messageWith(nameFlag));
  };
  const requests =
    accessLog === undefined
      ? readRequestList(blocks, { timezone, source, ...(action === 'skip' && { onBadRow }) })
      : readAccessLog(blocks, { ...accessLog, timezone, onSkipped });
  for await (const batch of requests) {
    if (counts !== undefined) counts.requests += batch.length;
    await drainMessages();
    yield batch;
  }
}

/** The requests that an input has given, and its rows and lines that gave none. */
type ReadCounts = Record<'requests' | 'badRows' | SkipReason, number>;

/** The error for an access log in which no line is well-formed; undefined for any other input. */
function findFault(counts: ReadCounts, source: string): DataError | undefined {
  const { requests, unhandled, broken } = counts;
  if (broken === 0 || unhandled + requests > 0) return undefined;
  return new DataError(
    { source },
    describeLines(counts),
    'no line is one of the Common or Combined format, check the file and --from',
  );
}

/** Reports what gave no request, unless the error says so. */
function saySkipped(counts: ReadCounts, source: string): void {
  const { badRows, unhandled, broken } = counts;
  if (badRows > 0) say(`${escapeText(source)}: ${countOf(badRows, 'bad row')} passed over`);
  if (unhandled + broken > 0 && findFault(counts, source) === undefined) say(`${escapeText(source)}: ${describeLines(counts)}`);
}

function describeLines({ unhandled, broken }: ReadCounts): string {
  return `${countOf(unhandled, 'line')} passed over that the webmail did not handle, ${countOf(broken, 'broken line')}`;
}
