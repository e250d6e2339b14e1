import { DEPLOYMENT_KEYS } from '../../log/deployment.js';
import { JSON_KEYS } from '../../requests/access-log/access-line.js';
import { ORDERS } from '../../requests/order.js';
import { namesOf, type Kinds } from '../../wording.js';
import { wrapHelp } from '../options/help-text.js';
import { LOG_WRITER_HELP, LOG_WRITING, SPEED } from '../options/log-writer.js';
import { ENDED, type CommandDefinition } from '../options/option.js';
import { kindOf, oneOf, pathsOf, PREFIXES, TIME, TIMES } from '../options/values.js';

const INPUT_FORMATS = {
  csv: { meaning: 'a request list' },
  'access-log': { meaning: 'access logs in the Common or Combined format of nginx and Apache' },
  'access-json': { meaning: 'access logs in lines of JSON, such as those of nginx (`escape=json`) and Caddy' },
} as const satisfies Kinds;

const ACCESS_LOG = 'replay.md#the-access-log';
const ORDER = 'replay.md#order-and-bad-rows';
const RE_TIMING = 'replay.md#re-timing-and-real-time';

export const COMMAND = {
  name: 'replay',
  summary: 'a request list, or an access log -> the log',
  description: 'Writes the log of a list of requests: a group of records for each request.',
  arguments: { requests: { meaning: 'the request list, or access logs; standard input if omitted or -', repeated: true } },
  options: {
    from: { value: kindOf('format', INPUT_FORMATS), meaning: 'the format of the input', default: 'csv' },
    prefixes: { value: PREFIXES, meaning: 'of an access log, only requests under these path prefixes', page: ACCESS_LOG },
    everyLine: { meaning: 'of an access log, every well-formed line', page: ACCESS_LOG },
    keys: {
      value: pathsOf(namesOf(JSON_KEYS), 'target=request.uri'),
      meaning: 'of an access log in JSON, the keys or paths of these values',
      page: ACCESS_LOG,
    },
    order: {
      value: kindOf('order', ORDERS),
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
    start: { value: TIME, meaning: 'move the list in time: its first request is at this time, or "now"', page: RE_TIMING },
    speed: SPEED,
    live: { meaning: 'short for --start now --speed 1', page: RE_TIMING },
    loop: {
      value: TIMES,
      meaning: 'play a file this many times, or "forever"',
      detail: 'Standard input and pipes are read once.',
      page: RE_TIMING,
    },
    ...LOG_WRITING,
  },
  help: `A request list is CSV: timestamp,request_target or
timestamp,http_method,request_target. Under a header, columns of these names
(also target and method) may come in any order. The forms of a timestamp:
  ISO 8601          2025-05-18T12:00:00+02:00; without an offset, local time of
                    --timezone
  the log's own     18-May-2025 12:00:00 +0200
  an access log's   18/May/2025:12:00:00 +0200
  Unix time         1747562400

${wrapHelp(
  'An access log is read in the Common or Combined format of nginx and Apache, or as lines of JSON (--from access-json). Several are read as one, in the order of their first lines. Only requests that the webmail handled are replayed: those whose path ends in / or .php and whose status is not 400, 404, 405, 408 or 414.',
)}

${wrapHelp(`A deployment file is JSON with any of the keys ${namesOf(DEPLOYMENT_KEYS).join(', ')}.`)}

${LOG_WRITER_HELP}`,
  examples: [
    'webmail-diaglog replay requests.csv >> error.log',
    'tail -n +1 -f requests.csv | webmail-diaglog replay -o error.log',
    'webmail-diaglog replay --order sort --dialect php requests.csv > error.log',
    'webmail-diaglog replay --live yesterday.csv >> error.log',
    'webmail-diaglog replay --live --rotate-every 1h -o e.log --tee sent.log x.csv',
    'webmail-diaglog replay --faults torn:0.01,late:0.1 requests.csv > broken.log',
    'webmail-diaglog replay --loop forever --start now --speed 10 --mark r x.csv',
    'webmail-diaglog replay --from access-log --prefixes mail access.log* > e.log',
    'echo 2025-05-18T12:00:00,/mail/ | webmail-diaglog replay --timezone UTC',
  ],
  exit: { 0: 'done', 1: 'the list is at fault', ...ENDED },
} satisfies CommandDefinition;
