import { Option, type Command } from 'commander';
import { CallError } from '../errors.js';
import { openInput, openStdin, type Input } from '../input/input.js';
import type { Deployment } from '../log/deployment.js';
import { closeLogFile, endHalfRecord, findLastLoadFailure, openLogFile, refuseInput } from '../output/log-file.js';
import { Output } from '../output/output.js';
import { packGroups } from '../output/pack-groups.js';
import { writeChunks } from '../output/write-chunks.js';
import { readRequestList } from '../requests/csv.js';
import { orderRequests, ORDERS, type LogEnd, type Order } from '../requests/order.js';
import type { ListedRequest } from '../requests/request.js';
import { addDeploymentOptions, resolveDeployment, type RawDeploymentOptions } from './deployment-options.js';
import { countOf, messagesTaken, say, showStatus } from './messages.js';
import { withSignals } from './signals.js';

const ON_BAD_ROW = ['stop', 'skip'] as const;

/** The options as given. */
interface RawOptions extends RawDeploymentOptions {
  readonly order: Order;
  readonly onBadRow: (typeof ON_BAD_ROW)[number];
  readonly output?: string;
}

/** The options as meant. */
interface ReplayOptions {
  readonly file: string;
  readonly outputFile: string;
  readonly deployment: Deployment;
  readonly order: Order;
  readonly skipBadRows: boolean;
}

const EXAMPLES = `
A request list is CSV: timestamp,request_target or timestamp,http_method,request_target,
with a header or without. Timestamps are ISO 8601 (2025-05-18T12:00:00+02:00), the log's own
(18-May-2025 12:00:00 +0200), an access log's (18/May/2025:12:00:00 +0200) or Unix time.

Examples:
  webmail-diaglog replay requests.csv >> error.log
  tail -f requests.csv | webmail-diaglog replay -o error.log
  webmail-diaglog replay --order sort --dialect php requests.csv > error.log
  printf '2025-05-18T12:00:00,/mail/\\n' | webmail-diaglog replay --timezone America/New_York

Exit codes: 0 done, 1 the list is at fault, 2 the call or the environment is at fault.`;

/** Adds the command `replay`. */
export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .summary('a request list -> the log')
    .description('Writes the log of a list of requests: for each of them a group of eight records.')
    .argument('[requests]', 'the request list; left out or -, standard input')
    .addOption(
      new Option('--order <order>', 'a step back in time: refuse it, sort the list, or keep it')
        .choices(ORDERS)
        .default('strict'),
    )
    .addOption(
      new Option('--on-bad-row <action>', 'stop at a bad row, or report and skip it').choices(ON_BAD_ROW).default('stop'),
    )
    .option('-o, --output <file>', 'append to a file instead of writing to stdout');
  addDeploymentOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, raw: RawOptions) => {
      await replay({
        file: file ?? '-',
        outputFile: raw.output ?? '-',
        deployment: resolveDeployment(raw),
        order: raw.order,
        skipBadRows: raw.onBadRow === 'skip',
      });
    });
}

async function replay(options: ReplayOptions): Promise<void> {
  if (options.file === '-' && process.stdin.isTTY) {
    throw new CallError(
      { source: 'replay' },
      'no request list is given',
      'name a file or pipe one in, see webmail-diaglog replay --help',
    );
  }
  let output: Output | undefined;
  await withSignals(
    async (signal) => {
      const input = await (options.file === '-' ? openStdin(() => process.stdin, signal) : openInput(options.file, signal));
      const log = await openLog(options.outputFile, input, signal);
      output = log.output;
      const stopStatus = showStatus(() => `${countOf(log.output.groups, 'group')} written`);
      try {
        await writeLog(input, log, options, signal);
      } finally {
        stopStatus();
      }
      log.close();
    },
    () => output?.groups ?? 0,
  );
}

/** Where the log goes. */
interface Log {
  readonly output: Output;
  /** The end that the log has already; undefined where it has no record that tells the time. */
  readonly end: () => Promise<LogEnd | undefined>;
  readonly close: () => void;
}

const STDOUT_FD = 1;

async function openLog(file: string, input: Input, signal: AbortSignal): Promise<Log> {
  if (file === '-') {
    refuseInput(STDOUT_FD, input.stats, '<stdout>');
    // A pipe is non-blocking by now, as Output needs it: Node sees to that when process.stdout is first asked for (main.ts).
    return { output: new Output(STDOUT_FD, '<stdout>'), end: () => Promise.resolve(undefined), close: () => undefined };
  }
  const fd = await openLogFile(file, input.stats, signal);
  const mend = async (): Promise<void> => {
    if (await endHalfRecord(fd)) say(`${file}: it ended in half a record; a line feed now ends it`);
  };
  return {
    output: new Output(fd, file, mend),
    end: async () => {
      const second = await findLastLoadFailure(fd, signal);
      return second === undefined ? undefined : { second, file };
    },
    close: () => {
      closeLogFile(fd, file);
    },
  };
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
  const after = order === 'strict' ? await log.end() : undefined;
  const requests = orderRequests(afterMessages(list), { order, source, deployment, ...(after && { after }) });
  await writeChunks(packGroups(requests, deployment, input.hasMore), log.output, signal);
  if (badRows > 0) say(`${source}: ${countOf(badRows, 'bad row')} passed over`);
}

/** Holds each batch back until the messages about its bad rows have been taken. */
async function* afterMessages(batches: AsyncIterable<readonly ListedRequest[]>): AsyncGenerator<readonly ListedRequest[]> {
  for await (const batch of batches) {
    await messagesTaken();
    yield batch;
  }
}
