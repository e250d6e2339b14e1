import { CallError } from '../../errors.js';
import { openInput, type Input } from '../../input/input.js';
import { zoneNamed } from '../../log/zone.js';
import { readAccessLog } from '../../requests/access-log/read-access-log.js';
import { readRequestList } from '../../requests/list/read-list.js';
import { orderRequests, refuseBeforeLogEnd, type Order } from '../../requests/order.js';
import type { ListedRequest } from '../../requests/request.js';
import { asReplayed, loopRequests, type Timing } from '../../requests/retime.js';
import { reportAtEnd, runCommand, type OutputOptions } from '../command-run.js';
import type { Site } from '../options/deployment.js';
import { inputFile, openSource, STDIN } from '../inputs.js';
import { drainMessages } from '../messages.js';
import type { FaultChoice } from '../options/faults.js';
import { STDOUT } from '../options/output-file.js';
import { writeRequests } from '../write-requests.js';
import { SkipReport } from './skip-report.js';

/** The options of `replay`. */
export interface ReplayOptions extends OutputOptions, Site, Timing {
  /** The options of reading an access log; undefined if the input is a request list. */
  readonly accessLog: { readonly prefixes?: readonly string[]; readonly everyLine: boolean } | undefined;
  readonly order: Order;
  readonly onBadRow: 'stop' | 'skip';
  /** The number of times that the list is played; may be Infinity. Left out, once. */
  readonly loop?: number | undefined;
  /** The query parameter that numbers the requests, if any. */
  readonly mark?: string | undefined;
  /** The faults that the log is broken by; undefined for none. */
  readonly faults: FaultChoice | undefined;
}

type Batches = AsyncIterable<readonly ListedRequest[]>;

/**
 * Runs `replay`.
 *
 * @param file the request list or access log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runReplay(file: string | undefined, options: ReplayOptions): Promise<void> {
  const { deployment, order, retiming, pace, mark, output: outputFile = STDOUT } = options;
  await runCommand({ ...options, noun: 'group' }, async (run) => {
    const input = await openSource(file, 'replay', 'request list', run.signal);
    refuseStdin(file, input, options);
    const { source } = input;
    const inputFiles = [inputFile(input), ...options.usedFiles];
    const faults =
      options.faults && (await (await import('../run-faults.js')).openFaults(options.faults, 'replay', inputFiles, run.signal));
    const report = new SkipReport(source);
    const output = await run.openOutput([...inputFiles, ...(faults?.usedFiles ?? [])], ({ written, noun }) => ({
      share: shareOf(written, input, report, options),
      done: written,
      unit: noun,
    }));
    const replay = async (): Promise<void> => {
      const zone = zoneNamed(deployment.timezone);
      let requests = asReplayed(readPasses(input, options, report, run.signal), { retiming, mark, source, zone });
      const second = order === 'strict' ? await output.findLastSecond() : undefined;
      if (second !== undefined) requests = refuseBeforeLogEnd(requests, { second, file: outputFile }, { source, deployment });
      const writing = { form: 'log', deployment, speed: pace, hasMore: input.hasMore, faults } as const;
      await writeRequests(requests, output, writing, run.signal);
    };
    return reportAtEnd(replay, () => report.end());
  });
}

/** @throws CallError for an input that is read more often than it can be */
function refuseStdin(file: string | undefined, { stats }: Input, { loop = 1, faults }: ReplayOptions): void {
  const isStdin = file === undefined || file === STDIN;
  if (loop > 1 && (isStdin || !stats.isFile())) {
    throw new CallError({ source: '--loop' }, 'the input can be read only once', 'name a regular file');
  }
  if (isStdin && faults?.foreignFile === STDIN) {
    throw new CallError({ source: '--foreign-from' }, 'standard input is already the request list', 'name a file');
  }
}

/**
 * Estimates the share of the groups that have been written. How many the input gives is inferred from the part that has been read; a
 * pipe and a list that is played for ever have no known end.
 */
function shareOf(
  written: number,
  input: Input,
  { requests }: SkipReport,
  { loop: passes = 1 }: ReplayOptions,
): number | undefined {
  const readShare = input.stats.isFile() ? Math.min(1, input.bytesRead() / input.stats.size) : 0;
  const expected = (requests / readShare) * passes;
  return expected > 0 && expected < Infinity ? Math.min(1, written / expected) : undefined;
}

/** Reads the input as often as it is played, each pass put in order. Only the first pass is reported. */
function readPasses(input: Input, options: ReplayOptions, report: SkipReport, signal: AbortSignal): Batches {
  const { deployment, order, loop: passes = 1 } = options;
  const { source } = input;
  const readPass = (blocks: Input['blocks'], reported: SkipReport | undefined): Batches =>
    orderRequests(readRequests(blocks, source, options, reported), { order, source, deployment });
  const first = readPass(input.blocks, report);
  if (passes === 1) return first;
  let isFirst = true;
  const next = (): Batches => {
    if (!isFirst) return readPass(reopen(source, signal), undefined);
    isFirst = false;
    return first;
  };
  return loopRequests({ passes, readPass: next, source, zone: zoneNamed(deployment.timezone) });
}

async function* reopen(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* (await openInput(file, signal)).blocks;
}

/** Reads one pass, and reports what gave no request. Each batch is held back until stderr has taken the messages. */
async function* readRequests(
  blocks: Input['blocks'],
  source: string,
  { deployment: { timezone }, accessLog, onBadRow }: ReplayOptions,
  report: SkipReport | undefined,
): Batches {
  const requests =
    accessLog === undefined
      ? readRequestList(blocks, {
          timezone,
          source,
          ...(onBadRow === 'skip' && { onBadRow: (error) => report?.addBadRow(error.message) }),
        })
      : readAccessLog(blocks, { ...accessLog, timezone, onSkipped: (reason) => report?.addLine(reason) });
  for await (const batch of requests) {
    if (report !== undefined) report.requests += batch.length;
    await drainMessages();
    yield batch;
  }
}
