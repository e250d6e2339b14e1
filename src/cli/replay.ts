import { Option, type Command } from 'commander';
import { CallError } from '../errors.js';
import { openInput, openStdin, type Input } from '../input/input.js';
import type { Deployment } from '../log/deployment.js';
import { openLog, openStdout, type Log } from '../output/open-log.js';
import type { Output } from '../output/output.js';
import { packGroups } from '../output/pack-groups.js';
import { writeChunks } from '../output/write-chunks.js';
import { readRequestList } from '../requests/csv.js';
import { orderRequests, ORDERS, type Order } from '../requests/order.js';
import { escapeText } from '../quote.js';
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
  /** Left out, standard input, unless that is a terminal; `-`, standard input. */
  readonly file: string | undefined;
  readonly outputFile: string;
  readonly deployment: Deployment;
  readonly order: Order;
  readonly skipBadRows: boolean;
}

const EXAMPLES = `
A request list is CSV: timestamp,request_target or timestamp,http_method,request_target, or columns
of these names (target and method will do, too) in any order under a header. A timestamp is
ISO 8601 (2025-05-18T12:00:00+02:00; without an offset it is on the clock of --timezone), the log's own
(18-May-2025 12:00:00 +0200), an access log's (18/May/2025:12:00:00 +0200) or Unix time.

A deployment file is JSON with any of the keys installRoot, runtimeTag, scriptExtension, library,
loaderFile, loaderLine, sessionFile, sessionLine, timezone, plugins, dialect.

Examples:
  webmail-diaglog replay requests.csv >> error.log
  tail -n +1 -f requests.csv | webmail-diaglog replay -o error.log
  webmail-diaglog replay --order sort --dialect php requests.csv > error.log
  printf '2025-05-18T12:00:00,/mail/\\n' | webmail-diaglog replay --timezone America/New_York

Exit codes: 0 done, 1 the list is at fault, 2 the call or the environment is at fault, 128 + n ended by signal n.`;

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
        file,
        outputFile: raw.output ?? '-',
        deployment: resolveDeployment(raw),
        order: raw.order,
        skipBadRows: raw.onBadRow === 'skip',
      });
    });
}

async function replay(options: ReplayOptions): Promise<void> {
  if (options.file === undefined && process.stdin.isTTY) {
    throw new CallError(
      { source: 'replay' },
      'no request list is given',
      'name a file or pipe one in, see webmail-diaglog replay --help',
    );
  }
  let output: Output | undefined;
  await withSignals(
    async (signal) => {
      const { file = '-' } = options;
      const input = await (file === '-' ? openStdin(() => process.stdin, signal) : openInput(file, signal));
      const log = await openLogFor(options.outputFile, input, signal);
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

async function openLogFor(file: string, { stats }: Input, signal: AbortSignal): Promise<Log> {
  if (file === '-') return openStdout(process.stdout, { input: stats });
  return openLog(file, { input: stats, signal }, () => {
    say(`${escapeText(file)}: it ended in half a record; a line feed now ends it`);
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
  const { lastSecond } = log;
  const after = lastSecond === undefined ? undefined : { second: lastSecond, file: options.outputFile };
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
