import { CallError, DataError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import { zoneNamed } from '../../log/zone.js';
import { readAccessLog, type SkipReason } from '../../requests/access-log/read-access-log.js';
import { readRequestList } from '../../requests/list/read-list.js';
import { orderRequests, refuseBeforeLogEnd, type Order } from '../../requests/order.js';
import type { ListedRequest } from '../../requests/request.js';
import { asReplayed, loopRequests, type Timing } from '../../requests/retime.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { openSource, STDIN } from '../inputs.js';
import { drainMessages, say } from '../messages.js';
import type { WrittenLog } from '../options/log-writer.js';
import { STDOUT } from '../options/output-file.js';
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
  const { deployment, order, retiming, pace, mark, output: outputFile = STDOUT } = options;
  await runCommand({ ...options, noun: 'group' }, async (run) => {
    const input = await openSource(file, 'replay', 'request list', run);
    refuseStdin(file, input, options);
    const { source, hasMore } = input;
    const breakLog =
      options.faults && (await (await import('../run-faults.js')).openFaults(options.faults, { deployment }, 'replay', run));
    const report = new SkipReport(source);
    const output = await run.openOutput(({ written }) => ({ share: shareOf(written, input, report, options) }));
    run.atEnd(() => {
      report.say();
    });
    const zone = zoneNamed(deployment.timezone);
    let requests = asReplayed(readPasses(input, options, report), { retiming, mark, source, zone });
    const second = order === 'strict' ? await output.findLastSecond() : undefined;
    if (second !== undefined) requests = refuseBeforeLogEnd(requests, { second, file: outputFile }, { source, deployment });
    await writeRequests(requests, output, { form: 'log', deployment, speed: pace, hasMore, breakLog }, run);
    return report.fault;
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
function readPasses(input: Input, options: ReplayOptions, report: SkipReport): Batches {
  const { deployment, order, loop: passes = 1 } = options;
  const { source } = input;
  let { blocks } = input;
  let reported: SkipReport | undefined = report;
  const readPass = (): Batches => {
    const requests = readRequests(blocks, source, options, reported);
    [blocks, reported] = [input.peek(), undefined];
    return orderRequests(requests, { order, source, deployment });
  };
  return passes === 1 ? readPass() : loopRequests({ passes, readPass, source, zone: zoneNamed(deployment.timezone) });
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

/** Counts the rows and lines of an input that gave no request, and reports them. */
class SkipReport {
  readonly #source: string;
  #badRows = 0;
  /** The number of requests that the input has given. */
  requests = 0;
  readonly #lines: Record<SkipReason, number> = { unhandled: 0, broken: 0 };

  /** @param source the input as messages call it */
  constructor(source: string) {
    this.#source = source;
  }

  /** Reports a bad row of a request list, and counts it. */
  addBadRow(message: string): void {
    this.#badRows += 1;
    say(message);
  }

  /** Counts a line of an access log that gave no request. */
  addLine(reason: SkipReason): void {
    this.#lines[reason] += 1;
  }

  /** The error for an access log in which no line is well-formed; undefined for any other input. */
  get fault(): DataError | undefined {
    const { unhandled, broken } = this.#lines;
    if (broken === 0 || unhandled + this.requests > 0) return undefined;
    const remedy = 'no line is one of the Common or Combined format, check the file and --from';
    return new DataError({ source: this.#source }, this.#counts, remedy);
  }

  /** Reports the counts, if there is anything to report that is not in the error. */
  say(): void {
    const { unhandled, broken } = this.#lines;
    const source = escapeText(this.#source);
    if (this.#badRows > 0) say(`${source}: ${countOf(this.#badRows, 'bad row')} passed over`);
    if (unhandled + broken > 0 && this.fault === undefined) say(`${source}: ${this.#counts}`);
  }

  get #counts(): string {
    const { unhandled, broken } = this.#lines;
    return `${countOf(unhandled, 'line')} passed over that the webmail did not handle, ${countOf(broken, 'broken line')}`;
  }
}
