import { Option, type Command } from 'commander';
import { ORDERS, type Order } from '../requests/orders.js';
import { addDeploymentOptions, type RawDeploymentOptions } from './deployment-options.js';

const ON_BAD_ROW = ['stop', 'skip'] as const;

/** The options as given. */
export interface RawReplayOptions extends RawDeploymentOptions {
  readonly order: Order;
  readonly onBadRow: (typeof ON_BAD_ROW)[number];
  readonly output?: string;
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
    .action(async (file: string | undefined, raw: RawReplayOptions) => {
      // What a run needs (luxon among it) is loaded for a run, not for --help.
      const { runReplay } = await import('./run-replay.js');
      await runReplay(file, raw);
    });
}
