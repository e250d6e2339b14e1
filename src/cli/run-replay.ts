import { CallError } from '../errors.js';
import { openInput, type Input } from '../input/input.js';
import type { Deployment } from '../log/deployment.js';
import { zoneNamed } from '../log/zone.js';
import type { Log } from '../output/open-log.js';
import { escapeText } from '../quote.js';
import { readAccessLog, type PassedOver } from '../requests/access-log.js';
import { readRequestList } from '../requests/csv.js';
import { followLog } from '../requests/follow-log.js';
import { markRequests } from '../requests/mark.js';
import { orderRequests } from '../requests/order.js';
import type { Order } from '../requests/orders.js';
import type { ListedRequest } from '../requests/request.js';
import { loopRequests, retime } from '../requests/retime.js';
import { withLastWord } from './last-word.js';
import { countOf, messagesTaken, say } from './messages.js';
import { openSource } from './open-source.js';
import { parseCount, parseMark, parsePositive, parsePrefixes, parseTime } from './option-values.js';
import type { RawReplayOptions } from './replay.js';
import { resolveDeployment } from './resolve-deployment.js';
import { withLog } from './with-log.js';
import { writeRequests } from './write-requests.js';

/** The options as meant. */
interface ReplayOptions {
  /** Left out, standard input, unless that is a terminal; `-`, standard input. */
  readonly file: string | undefined;
  /** Left out, the input is a request list. */
  readonly accessLog: { readonly prefixes?: readonly string[]; readonly everyLine: boolean } | undefined;
  readonly outputFile: string;
  readonly deployment: Deployment;
  readonly order: Order;
  readonly skipBadRows: boolean;
  /** Gives the Unix millisecond on which the first request is to land. */
  readonly startAt: (() => number) | undefined;
  readonly speed: number | undefined;
  readonly passes: number;
  readonly mark: string | undefined;
}

type Batches = AsyncIterable<readonly ListedRequest[]>;

/**
 * Runs `replay` with argument and options as they were given.
 *
 * @throws the errors that `endWith` knows
 */
export async function runReplay(file: string | undefined, raw: RawReplayOptions): Promise<void> {
  const options = resolveOptions(file, raw);
  await withLog({
    outputFile: options.outputFile,
    open: async (signal) => {
      const input = await openSource(file, 'replay', 'request list', signal);
      if (options.passes > 1 && (file === undefined || file === '-' || !input.stats.isFile())) {
        throw new CallError({ source: '--loop' }, 'the input can be read only once', 'name a regular file');
      }
      return input;
    },
    work: (input, log, signal) => replay(input, log, options, signal),
  });
}

function resolveOptions(file: string | undefined, raw: RawReplayOptions): ReplayOptions {
  const deployment = resolveDeployment(raw);
  return {
    file,
    accessLog: resolveAccessLog(raw),
    outputFile: raw.output ?? '-',
    deployment,
    order: raw.order,
    skipBadRows: raw.onBadRow === 'skip',
    startAt: raw.start === undefined ? undefined : resolveStart(raw.start, deployment),
    speed: raw.speed === undefined ? undefined : parsePositive('--speed', raw.speed),
    passes: raw.loop === undefined ? 1 : parseCount('--loop', raw.loop, 1),
    mark: raw.mark === undefined ? undefined : parseMark('--mark', raw.mark),
  };
}

function resolveAccessLog({ from, prefixes, everyLine = false }: RawReplayOptions): ReplayOptions['accessLog'] {
  if (from === 'access-log') {
    if (prefixes === undefined) return { everyLine };
    if (!everyLine) return { everyLine, prefixes: parsePrefixes('--prefixes', prefixes) };
    throw new CallError({ source: '--prefixes' }, 'with --every-line no line is passed over', 'give one of the two');
  }
  const flag = everyLine ? '--every-line' : prefixes === undefined ? undefined : '--prefixes';
  if (flag === undefined) return undefined;
  throw new CallError({ source: flag }, 'is for access logs', 'give --from access-log with it');
}

function resolveStart(text: string, { timezone }: Deployment): () => number {
  const start = parseTime('--start', text, timezone);
  return () => start ?? Date.now();
}

async function replay(input: Input, log: Log, options: ReplayOptions, signal: AbortSignal): Promise<void> {
  const { deployment, order, passes, startAt, speed, mark } = options;
  const { source } = input;
  const zone = zoneNamed(deployment.timezone);
  const report = new Report(source);

  // What is wrong with a list is said in its first pass.
  const readPass = (chunks: Input['chunks'], reported: Report | undefined): Batches =>
    orderRequests(readRequests(chunks, source, options, reported), { order, source, deployment });
  let requests = readPass(input.chunks, report);
  if (passes > 1) {
    const first = requests;
    let isFirst = true;
    const next = (): Batches => {
      if (!isFirst) return readPass(reopen(source, signal), undefined);
      isFirst = false;
      return first;
    };
    requests = loopRequests({ passes, readPass: next, source, zone });
  }
  if (startAt !== undefined) requests = retime(requests, { startAt, speed: speed ?? 1, source, zone });
  if (mark !== undefined) requests = markRequests(requests, mark, 1);
  const second = order === 'strict' ? await log.findLastSecond() : undefined;
  if (second !== undefined) {
    const remedy = 'name another file, or give --order keep';
    requests = followLog(requests, { second, file: options.outputFile }, { source, deployment, remedy });
  }
  await withLastWord(
    () => writeRequests(requests, log, { form: 'log', deployment, speed, hasMore: input.hasMore }, signal),
    () => {
      report.end();
    },
  );
}

async function* reopen(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* (await openInput(file, signal)).chunks;
}

/** Reads requests, and reports what is no request; each batch is held back until that has been taken. */
async function* readRequests(
  chunks: Input['chunks'],
  source: string,
  { deployment: { timezone }, accessLog, skipBadRows }: ReplayOptions,
  report: Report | undefined,
): Batches {
  const requests =
    accessLog === undefined
      ? readRequestList(chunks, {
          timezone,
          source,
          ...(skipBadRows && { onBadRow: (error) => report?.addBadRow(error.message) }),
        })
      : readAccessLog(chunks, { ...accessLog, timezone, onPassedOver: (why) => report?.addLine(why) });
  for await (const batch of requests) {
    await messagesTaken();
    yield batch;
  }
}

/** What was passed over in an input. */
class Report {
  readonly #source: string;
  #badRows = 0;
  readonly #lines: Record<PassedOver, number> = { unhandled: 0, broken: 0 };

  constructor(source: string) {
    this.#source = source;
  }

  addBadRow(message: string): void {
    this.#badRows += 1;
    say(message);
  }

  addLine(why: PassedOver): void {
    this.#lines[why] += 1;
  }

  /** Says how much it was. */
  end(): void {
    const { unhandled, broken } = this.#lines;
    const source = escapeText(this.#source);
    if (this.#badRows > 0) say(`${source}: ${countOf(this.#badRows, 'bad row')} passed over`);
    if (unhandled + broken > 0) {
      say(
        `${source}: ${countOf(unhandled, 'line')} passed over that the webmail did not handle, ${countOf(broken, 'broken line')}`,
      );
    }
  }
}
