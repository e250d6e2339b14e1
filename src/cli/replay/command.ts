import { Option, type Command } from 'commander';
import { CallError } from '../../errors.js';
import { parseTime } from '../../requests/instant.js';
import { ORDERS } from '../../requests/order.js';
import { timingOf } from '../../requests/retime.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { addFaultOptions, FAULT_HELP, resolveFaults } from '../options/faults.js';
import { OUTPUT_OPTION, QUIET_OPTION, type OptionsOf } from '../options/output-file.js';
import { parsePrefixes } from '../options/prefixes.js';
import { parseCount } from '../options/quantities.js';
import { addRotationOptions, resolveRotation } from '../options/rotation.js';
import { MARK_OPTION, SPEED_OPTION } from '../options/traffic.js';
import type { ReplayOptions } from './run.js';

const HELP = `
A request list is CSV: timestamp,request_target or
timestamp,http_method,request_target; or columns of these names (also target
and method) in any order, under a header. A timestamp is
  ISO 8601          2025-05-18T12:00:00+02:00; without an offset it is on the
                    clock of --timezone
  the log's own     18-May-2025 12:00:00 +0200
  an access log's   18/May/2025:12:00:00 +0200
  Unix time         1747562400

An access log is read in the Common or Combined format of nginx and Apache. It
gives the requests that the webmail handled: their path ends in / or .php, and
their status is none of 400, 404, 405, 408, 414.

A deployment file is JSON with any of the keys installRoot, runtimeTag,
scriptExtension, library, loaderFile, loaderLine, sessionFile, sessionLine,
timezone, plugins, dialect.

${FAULT_HELP}

Rotation renames FILE to FILE.1, FILE.1 to FILE.2 and so on, between two groups.
With -o, SIGHUP reopens the file, for rotation by another program.

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
    .summary('a request list -> the log')
    .description('Writes the log of a list of requests: for each request a group of eight records.')
    .addHelpText('after', HELP)
    .action(async (file, options) => {
      const resolved = resolveReplay(options);
      const { runReplay } = await import('./run.js');
      await runReplay(file, resolved);
    });
}

/** Adds the argument and the options of `replay`. */
export function addReplayOptions(command: Command) {
  const withOwn = command
    .argument('[requests]', 'the request list, or an access log; left out or -, standard input')
    .addOption(new Option('--from <format>', 'what is read').choices(['csv', 'access-log']).default('csv'))
    .addOption(
      new Option('--prefixes <a,b,c>', 'of an access log, take what is under these path prefixes').argParser(parsePrefixes),
    )
    .option('--every-line', 'of an access log, take every well-formed line')
    .addOption(
      new Option('--order <order>', 'a step back in time: refuse it, sort the list, or keep it')
        .choices(ORDERS)
        .default('strict'),
    )
    .addOption(
      new Option('--on-bad-row <action>', 'stop at a bad row, or report and skip it').choices(['stop', 'skip']).default('stop'),
    )
    .option('--start <time>', 're-time the list: its first request lands on this moment, or on "now"')
    .addOption(SPEED_OPTION)
    .option('--live', 'short for --start now --speed 1')
    .addOption(new Option('--loop <n>', 'play a file n times, or "forever"').argParser((text) => parseCount('--loop', text, 1)))
    .addOption(MARK_OPTION)
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(addFaultOptions(addRotationOptions(withOwn)));
}

/** The options as they are parsed. */
type ParsedReplayOptions = OptionsOf<typeof addReplayOptions>;

/** The options that `--live` stands for. */
const LIVE = { start: 'now', speed: 1 } as const;

/** Resolves what needs several options. @throws CallError that names the option at fault */
export function resolveReplay(parsed: ParsedReplayOptions): ReplayOptions {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const site = resolveDeployment(options);
  return {
    ...options,
    ...site,
    rotation: resolveRotation(options, options.output),
    ...timingOf(resolveStart(options.start, site.deployment.timezone), options.speed),
    accessLog: resolveAccessLog(options),
    faults: resolveFaults(options),
  };
}

function resolveAccessLog({ from, prefixes, everyLine }: ParsedReplayOptions): ReplayOptions['accessLog'] {
  if (from === 'access-log') {
    if (prefixes === undefined) return { everyLine: everyLine === true };
    if (everyLine !== true) return { everyLine: false, prefixes };
    throw new CallError({ source: '--prefixes' }, 'with --every-line no line is passed over', 'give one of the two');
  }
  const flag = everyLine === true ? '--every-line' : prefixes === undefined ? undefined : '--prefixes';
  if (flag === undefined) return undefined;
  throw new CallError({ source: flag }, 'is for access logs', 'give --from access-log with it');
}

/** @returns gives the moment of the first request when it is called: `now` is when the first request comes */
function resolveStart(text: string | undefined, timezone: string): (() => number) | undefined {
  const start = text === undefined ? undefined : parseTime('--start', text, timezone);
  return start === 'now' ? Date.now : start === undefined ? undefined : () => start;
}
