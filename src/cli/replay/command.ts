import { Option, type Command } from 'commander';
import { ORDERS, type Order } from '../../requests/orders.js';
import { addDeploymentOptions, type RawDeploymentOptions } from '../options/deployment-options.js';

const ON_BAD_ROW = ['stop', 'skip'] as const;
const SOURCES = ['csv', 'access-log'] as const;

/** The options as given. */
export interface RawReplayOptions extends RawDeploymentOptions {
  readonly from: (typeof SOURCES)[number];
  readonly prefixes?: string;
  readonly everyLine?: boolean;
  readonly order: Order;
  readonly onBadRow: (typeof ON_BAD_ROW)[number];
  readonly start?: string;
  readonly speed?: string;
  readonly loop?: string;
  readonly mark?: string;
  readonly output?: string;
}

const EXAMPLES = `
An access log is read in the Common or Combined format of nginx and Apache. Taken are requests that the webmail
handled: the path ends in / or .php, and the status is none of 400, 404, 405, 408, 414.

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
  webmail-diaglog replay --start now --speed 1 yesterday.csv >> error.log
  webmail-diaglog replay --loop forever --start now --speed 10 --mark r requests.csv | logger
  webmail-diaglog replay --from access-log --prefixes mail,webmail access.log > error.log
  printf '2025-05-18T12:00:00,/mail/\\n' | webmail-diaglog replay --timezone America/New_York

With -o SIGHUP reopens the file, for rotation.

Exit codes: 0 done, 1 the list is at fault, 2 the call or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `replay`. */
export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .summary('a request list -> the log')
    .description('Writes the log of a list of requests: for each of them a group of eight records.')
    .argument('[requests]', 'the request list, or an access log; left out or -, standard input')
    .addOption(new Option('--from <format>', 'what is read').choices(SOURCES).default('csv'))
    .option('--prefixes <a,b,c>', 'of an access log, take what is under these path prefixes')
    .option('--every-line', 'of an access log, take every well-formed line')
    .addOption(
      new Option('--order <order>', 'a step back in time: refuse it, sort the list, or keep it')
        .choices(ORDERS)
        .default('strict'),
    )
    .addOption(
      new Option('--on-bad-row <action>', 'stop at a bad row, or report and skip it').choices(ON_BAD_ROW).default('stop'),
    )
    .option('--start <time>', 're-time the list: its first request lands on this moment, or on "now"')
    .option('--speed <factor>', 'write in real time, so many times as fast as recorded')
    .option('--loop <n>', 'play a file n times, or "forever"')
    .option('--mark <name>', 'add name=1, name=2, … to the queries, so that no two requests are alike')
    .option('-o, --output <file>', 'append to a file instead of writing to stdout');
  addDeploymentOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, raw: RawReplayOptions) => {
      // What a run needs (luxon among it) is loaded for a run, not for --help.
      const { runReplay } = await import('./run.js');
      await runReplay(file, raw);
    });
}
