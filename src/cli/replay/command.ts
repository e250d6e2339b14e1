import { Option, type Command } from 'commander';
import { CallError } from '../../errors.js';
import { ORDERS } from '../../requests/order.js';
import { timingOf } from '../../requests/retime.js';
import { addLogWriterOptions, LOG_WRITER_HELP, resolveLogWriter, SPEED_OPTION } from '../options/log-writer.js';
import { optionOf, type OptionsOf } from '../options/option.js';
import { parsePrefixes } from '../options/prefixes.js';
import { parseCount } from '../options/quantities.js';
import type { ReplayOptions } from './run.js';

const HELP = `
A request list is CSV: timestamp,request_target or
timestamp,http_method,request_target. Under a header, columns of these names
(also target and method) may come in any order. The forms of a timestamp:
  ISO 8601          2025-05-18T12:00:00+02:00; without an offset, local time of
                    --timezone
  the log's own     18-May-2025 12:00:00 +0200
  an access log's   18/May/2025:12:00:00 +0200
  Unix time         1747562400

An access log is read in the Common or Combined format of nginx and Apache. Only
requests that the webmail handled are replayed: those whose path ends in / or
.php and whose status is not 400, 404, 405, 408 or 414.

A deployment file is JSON with any of the keys installRoot, runtimeTag,
scriptExtension, library, loaderFile, loaderLine, sessionFile, sessionLine,
timezone, plugins, dialect.

${LOG_WRITER_HELP}

Examples:
  webmail-diaglog replay requests.csv >> error.log
  tail -n +1 -f requests.csv | webmail-diaglog replay -o error.log
  webmail-diaglog replay --order sort --dialect php requests.csv > error.log
  webmail-diaglog replay --live yesterday.csv >> error.log
  webmail-diaglog replay --live --rotate-every 1h -o e.log --tee sent.log x.csv
  webmail-diaglog replay --faults torn:0.01,late:0.1 requests.csv > broken.log
  webmail-diaglog replay --loop forever --start now --speed 10 --mark r x.csv
  webmail-diaglog replay --from access-log --prefixes mail access.log > e.log
  echo 2025-05-18T12:00:00,/mail/ | webmail-diaglog replay --timezone UTC

Exit codes: 0 done, 1 the list is at fault, 2 the call or the environment is at
fault, 128 + n ended by signal n.`;

/** Adds the command `replay`. */
export function addReplayCommand(program: Command): void {
  addReplayOptions(program.command('replay'))
    .summary('a request list, or an access log -> the log')
    .description('Writes the log of a list of requests: a group of eight records for each request.')
    .addHelpText('after', HELP)
    .action(async (file, options) => {
      const { runReplay } = await import('./run.js');
      await runReplay(file, resolveReplay(options));
    });
}

/** Adds the argument and the options of `replay`. */
export function addReplayOptions(command: Command) {
  const withOwn = command
    .argument('[requests]', 'the request list, or an access log; standard input if omitted or -')
    .addOption(new Option('--from <format>', 'the format of the input').choices(['csv', 'access-log']).default('csv'))
    .addOption(optionOf('--prefixes <a,b,c>', 'of an access log, only requests under these path prefixes', parsePrefixes))
    .option('--every-line', 'of an access log, every well-formed line')
    .addOption(
      new Option('--order <order>', 'at a step back in time: stop, sort the list, or keep its order')
        .choices(ORDERS)
        .default('strict'),
    )
    .addOption(
      new Option('--on-bad-row <action>', 'at a row that is not a request: stop, or report and skip it')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--start <time>', 'move the list in time: its first request is at this time, or "now"')
    .addOption(SPEED_OPTION)
    .option('--live', 'short for --start now --speed 1')
    .addOption(optionOf('--loop <n>', 'play a file this many times, or "forever"', (flag, text) => parseCount(flag, text, 1)));
  return addLogWriterOptions(withOwn);
}

type ParsedReplayOptions = OptionsOf<typeof addReplayOptions>;

/** The options that `--live` stands for. */
const LIVE = { start: 'now', speed: 1 } as const;

/** Resolves what needs several options. @throws CallError that names the option at fault */
export function resolveReplay(parsed: ParsedReplayOptions): ReplayOptions {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const log = resolveLogWriter(options);
  const timing = timingOf('--start', options.start, options.speed, log.deployment.timezone);
  return { ...options, ...log, ...timing, accessLog: resolveAccessLog(options) };
}

function resolveAccessLog({ from, prefixes, everyLine }: ParsedReplayOptions): ReplayOptions['accessLog'] {
  if (from === 'access-log') {
    if (prefixes === undefined) return { everyLine: everyLine === true };
    if (everyLine !== true) return { everyLine: false, prefixes };
    throw new CallError({ source: '--prefixes' }, 'cannot be combined with --every-line', 'give one of the two');
  }
  const flag = everyLine === true ? '--every-line' : prefixes === undefined ? undefined : '--prefixes';
  if (flag === undefined) return undefined;
  throw new CallError({ source: flag }, 'applies to access logs only', 'give --from access-log too');
}
