import { CallError } from '../../errors.js';
import { openInput, type Input } from '../../input/input.js';
import { zoneNamed } from '../../log/zone.js';
import type { Destination } from '../../output/destination.js';
import type { UsedFile } from '../../output/log-file.js';
import { readAccessLog } from '../../requests/access-log/read-access-log.js';
import { asReplayed, loopRequests } from '../../requests/retime.js';
import { readRequestList } from '../../requests/list/read-list.js';
import { orderRequests, refuseBeforeLogEnd } from '../../requests/order.js';
import type { ListedRequest } from '../../requests/request.js';
import { drainMessages } from '../messages.js';
import { inputFile, openSource, STDIN } from '../open-source.js';
import { reportAtEnd } from '../report-at-end.js';
import type { OpenFaults } from '../run-faults.js';
import { withDestination } from '../with-destination.js';
import { writeRequests } from '../write-requests.js';
import type { ReplayRunOptions } from './options.js';
import { SkipReport } from './skip-report.js';

type Batches = AsyncIterable<readonly ListedRequest[]>;

/**
 * Runs `replay`.
 *
 * @param file the request list or access log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runReplay(file: string | undefined, options: ReplayRunOptions): Promise<void> {
  await withDestination({
    outputFile: options.outputFile,
    rotation: options.rotation,
    copyFile: options.copyFile,
    noun: 'group',
    quiet: options.quiet,
    open: (signal) => openSources(file, options, signal),
    measure: ({ input, report }, { written, noun }) => ({
      share: shareOf(written, input, report, options),
      done: written,
      unit: noun,
    }),
    usedFiles: ({ usedFiles }) => usedFiles,
    work: (sources, destination, signal) =>
      reportAtEnd(
        () => replay(sources, destination, options, signal),
        () => sources.report.end(),
      ),
  });
}

/**
 * Estimates the share of the groups that have been written. How many the input gives is inferred from the part that has been read; a
 * pipe and a list that is played for ever have no known end.
 */
function shareOf(written: number, input: Input, { requests }: SkipReport, { passes }: ReplayRunOptions): number | undefined {
  const readShare = input.stats.isFile() ? Math.min(1, input.bytesRead() / input.stats.size) : 0;
  const expected = (requests / readShare) * passes;
  return expected > 0 && expected < Infinity ? Math.min(1, written / expected) : undefined;
}

/** The input of a run, and the faults that its log is broken by. */
interface Sources {
  readonly input: Input;
  readonly report: SkipReport;
  readonly faults: OpenFaults | undefined;
  /** The files of the run but the output. */
  readonly usedFiles: readonly UsedFile[];
}

async function openSources(file: string | undefined, options: ReplayRunOptions, signal: AbortSignal): Promise<Sources> {
  const input = await openSource(file, 'replay', 'request list', signal);
  const isStdin = file === undefined || file === STDIN;
  if (options.passes > 1 && (isStdin || !input.stats.isFile())) {
    throw new CallError({ source: '--loop' }, 'the input can be read only once', 'name a regular file');
  }
  const report = new SkipReport(input.source);
  const usedFiles = [inputFile(input), ...options.usedFiles];
  if (options.faults === undefined) return { input, report, faults: undefined, usedFiles };
  if (isStdin && options.faults.foreignFile === STDIN) {
    throw new CallError({ source: '--foreign-from' }, 'standard input is the request list already', 'name a file');
  }
  const { openFaults } = await import('../run-faults.js');
  const faults = await openFaults(options.faults, 'replay', usedFiles, signal);
  return { input, report, faults, usedFiles: [...usedFiles, ...faults.usedFiles] };
}

async function replay(
  { input, report, faults }: Sources,
  destination: Destination,
  options: ReplayRunOptions,
  signal: AbortSignal,
): Promise<void> {
  const { deployment, order, retiming, pace, mark } = options;
  const { source } = input;
  const zone = zoneNamed(deployment.timezone);
  let requests = asReplayed(readPasses(input, options, report, signal), { retiming, mark, source, zone });
  const second = order === 'strict' ? await destination.findLastSecond() : undefined;
  if (second !== undefined) {
    const remedy = 'name another file, or give --order keep';
    requests = refuseBeforeLogEnd(requests, { second, file: options.outputFile }, { source, deployment, remedy });
  }
  const writing = { form: 'log', deployment, speed: pace, hasMore: input.hasMore, faults } as const;
  await writeRequests(requests, destination, writing, signal);
}

/** Reads the input as often as it is played, each pass put in order. Only the first pass is reported. */
function readPasses(input: Input, options: ReplayRunOptions, report: SkipReport, signal: AbortSignal): Batches {
  const { deployment, order, passes } = options;
  const { source } = input;
  const readPass = (chunks: Input['chunks'], reported: SkipReport | undefined): Batches =>
    orderRequests(readRequests(chunks, source, options, reported), { order, source, deployment });
  const first = readPass(input.chunks, report);
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
  yield* (await openInput(file, signal)).chunks;
}

/** Reads one pass, and reports what gave no request. Each batch is held back until stderr has taken the messages. */
async function* readRequests(
  chunks: Input['chunks'],
  source: string,
  { deployment: { timezone }, accessLog, skipBadRows }: ReplayRunOptions,
  report: SkipReport | undefined,
): Batches {
  const requests =
    accessLog === undefined
      ? readRequestList(chunks, {
          timezone,
          source,
          ...(skipBadRows && { onBadRow: (error) => report?.addBadRow(error.message) }),
        })
      : readAccessLog(chunks, { ...accessLog, timezone, onSkipped: (reason) => report?.addLine(reason) });
  for await (const batch of requests) {
    if (report !== undefined) report.requests += batch.length;
    await drainMessages();
    yield batch;
  }
}
