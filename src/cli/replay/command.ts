import { refuseUse } from '../../errors.js';
import { DEPLOYMENT_KEYS } from '../../log/deployment.js';
import { ORDERS } from '../../requests/order.js';
import { timingOf } from '../../requests/retime.js';
import { wrapHelp } from '../options/help-text.js';
import { LOG_WRITER_HELP, LOG_WRITING, resolveLogWriter, SPEED } from '../options/log-writer.js';
import { ENDED, defineCommand, type Given, type Options } from '../options/option.js';
import { PREFIXES } from '../options/prefixes.js';
import { oneOf, TEXT, TIMES } from '../options/values.js';
import { namesOf } from '../../wording.js';
import type { ReplayOptions } from './run.js';

const HELP = `A request list is CSV: timestamp,request_target or
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

${wrapHelp(`A deployment file is JSON with any of the keys ${namesOf(DEPLOYMENT_KEYS).join(', ')}.`)}

${LOG_WRITER_HELP}`;

const EXAMPLES = [
  'webmail-diaglog replay requests.csv >> error.log',
  'tail -n +1 -f requests.csv | webmail-diaglog replay -o error.log',
  'webmail-diaglog replay --order sort --dialect php requests.csv > error.log',
  'webmail-diaglog replay --live yesterday.csv >> error.log',
  'webmail-diaglog replay --live --rotate-every 1h -o e.log --tee sent.log x.csv',
  'webmail-diaglog replay --faults torn:0.01,late:0.1 requests.csv > broken.log',
  'webmail-diaglog replay --loop forever --start now --speed 10 --mark r x.csv',
  'webmail-diaglog replay --from access-log --prefixes mail access.log > e.log',
  'echo 2025-05-18T12:00:00,/mail/ | webmail-diaglog replay --timezone UTC',
];

const ACCESS_LOG = 'replay.md#the-access-log';
const ORDER = 'replay.md#order-and-bad-rows';
const RE_TIMING = 'replay.md#re-timing-and-real-time';

/** The options of `replay`. */
export const REPLAY_OPTIONS = {
  from: { value: oneOf('format', ['csv', 'access-log']), meaning: 'the format of the input', default: 'csv' },
  prefixes: { value: PREFIXES, meaning: 'of an access log, only requests under these path prefixes', page: ACCESS_LOG },
  everyLine: { meaning: 'of an access log, every well-formed line', page: ACCESS_LOG },
  order: {
    value: oneOf('order', ORDERS),
    meaning: 'at a step back in time: stop, sort the list, or keep its order',
    default: 'strict',
    page: ORDER,
  },
  onBadRow: {
    value: oneOf('action', ['stop', 'skip']),
    meaning: 'at a row that is not a request: stop, or report and skip it',
    default: 'stop',
    page: ORDER,
  },
  start: {
    value: TEXT,
    placeholder: 'time',
    meaning: 'move the list in time: its first request is at this time, or "now"',
    page: RE_TIMING,
  },
  speed: SPEED,
  live: { meaning: 'short for --start now --speed 1', page: RE_TIMING },
  loop: {
    value: TIMES,
    meaning: 'play a file this many times, or "forever"',
    detail: 'Standard input and pipes are read once.',
    page: RE_TIMING,
  },
  ...LOG_WRITING,
} satisfies Options;

/** The command `replay`. */
export const REPLAY = defineCommand({
  name: 'replay',
  summary: 'a request list, or an access log -> the log',
  description: 'Writes the log of a list of requests: a group of records for each request.',
  arguments: { requests: { meaning: 'the request list, or an access log; standard input if omitted or -' } },
  options: REPLAY_OPTIONS,
  help: HELP,
  examples: EXAMPLES,
  exit: { 0: 'done', 1: 'the list is at fault', ...ENDED },
  run: async ({ requests }, options) => {
    const { runReplay } = await import('./run.js');
    await runReplay(requests, resolveReplay(options));
  },
});

/** The options that `--live` stands for. */
const LIVE = { start: 'now', speed: 1 } as const;

/** Resolves what needs several options. @throws CallError that names the option at fault */
export function resolveReplay(parsed: Given<typeof REPLAY_OPTIONS>): ReplayOptions {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const log = resolveLogWriter(options);
  const timing = timingOf('start', options.start, options.speed, log.deployment.timezone);
  return { ...options, ...log, ...timing, accessLog: resolveAccessLog(options) };
}

function resolveAccessLog({ from, prefixes, everyLine }: Given<typeof REPLAY_OPTIONS>): ReplayOptions['accessLog'] {
  if (from === 'access-log') {
    if (prefixes === undefined) return { everyLine: everyLine === true };
    if (everyLine !== true) return { everyLine: false, prefixes };
    throw refuseUse('prefixes', (option) => `cannot be combined with ${option('everyLine')}`, 'give one of the two');
  }
  const useless = everyLine === true ? 'everyLine' : prefixes === undefined ? undefined : 'prefixes';
  if (useless === undefined) return undefined;
  throw refuseUse(useless, 'applies to access logs only', (option) => `give ${option('from', 'access-log')} too`);
}
