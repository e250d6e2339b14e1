import { CallError } from '../../errors.js';
import { openInput, type Input } from '../../input/input.js';
import { zoneNamed } from '../../log/zone.js';
import type { Destination } from '../../output/destination.js';
import { countOf, escapeText } from '../../wording.js';
import { readAccessLog, type SkippedLine } from '../../requests/access-log/read-access-log.js';
import { readRequestList } from '../../requests/list/read-list.js';
import { refuseBeforeLogEnd } from '../../requests/refuse-before-log-end.js';
import { markRequests } from '../../requests/mark.js';
import { orderRequests } from '../../requests/order.js';
import type { ListedRequest } from '../../requests/request.js';
import { loopRequests, retime } from '../../requests/retime.js';
import { withLastWord } from '../last-word.js';
import { messagesTaken, say } from '../messages.js';
import { inputFile, openSource, STDIN } from '../open-source.js';
import type { ReplayRunOptions } from './options.js';
import { withDestination } from '../with-destination.js';
import { writeRequests } from '../write-requests.js';

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
    noun: 'group',
    open: async (signal) => {
      const input = await openSource(file, 'replay', 'request list', signal);
      if (options.passes > 1 && (file === undefined || file === STDIN || !input.stats.isFile())) {
        throw new CallError({ source: '--loop' }, 'the input can be read only once', 'name a regular file');
      }
      return input;
    },
    readFiles: (input) => [inputFile(input), ...options.readFiles],
    work: (input, log, signal) => replay(input, log, options, signal),
  });
}

async function replay(input: Input, log: Destination, options: ReplayRunOptions, signal: AbortSignal): Promise<void> {
  const { deployment, order, passes, retiming, pace, mark } = options;
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
  if (retiming !== undefined) requests = retime(requests, { ...retiming, source, zone });
  if (mark !== undefined) requests = markRequests(requests, mark, 1);
  const second = order === 'strict' ? await log.findLastSecond() : undefined;
  if (second !== undefined) {
    const remedy = 'name another file, or give --order keep';
    requests = refuseBeforeLogEnd(requests, { second, file: options.outputFile }, { source, deployment, remedy });
  }
  await withLastWord(
    () => writeRequests(requests, log, { form: 'log', deployment, speed: pace, hasMore: input.hasMore }, signal),
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
  { deployment: { timezone }, accessLog, skipBadRows }: ReplayRunOptions,
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
    report?.addRequests(batch.length);
    await messagesTaken();
    yield batch;
  }
}

/** What was passed over in an input. */
class Report {
  readonly #source: string;
  #badRows = 0;
  #hasRequests = false;
  readonly #lines: Record<SkippedLine, number> = { unhandled: 0, broken: 0 };

  constructor(source: string) {
    this.#source = source;
  }

  /** Some lines have given requests. */
  addRequests(count: number): void {
    if (count > 0) this.#hasRequests = true;
  }

  addBadRow(message: string): void {
    this.#badRows += 1;
    say(message);
  }

  addLine(why: SkippedLine): void {
    this.#lines[why] += 1;
  }

  /** Says how much it was. */
  end(): void {
    const { unhandled, broken } = this.#lines;
    const source = escapeText(this.#source);
    if (this.#badRows > 0) say(`${source}: ${countOf(this.#badRows, 'bad row')} passed over`);
    if (unhandled + broken === 0) return;
    const isAccessLog = this.#hasRequests || unhandled > 0;
    const hint = isAccessLog ? '' : '; no line is one of the Common or Combined format, check the file and --from';
    const lines = `${countOf(unhandled, 'line')} passed over that the webmail did not handle`;
    say(`${source}: ${lines}, ${countOf(broken, 'broken line')}${hint}`);
  }
}
