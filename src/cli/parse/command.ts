import { LOG_FORMS } from '../../export/forms.js';
import { FOREIGN_ACTIONS } from '../../reading/passed-over.js';
import { formatKinds } from '../options/help-text.js';
import { ENDED, type CommandDefinition } from '../options/option.js';
import { LOG_READING, LOGS } from '../options/output.js';
import { kindOf, oneOf } from '../options/values.js';

export const COMMAND = {
  name: 'parse',
  summary: 'the log -> a request list, or structured records',
  description: 'Reads a log, and writes its requests, its records or its deployment.',
  arguments: LOGS,
  options: {
    as: { value: kindOf('form', LOG_FORMS), meaning: 'what to write', default: 'requests' },
    foreign: {
      value: oneOf('action', FOREIGN_ACTIONS),
      meaning: 'lines that are not records of this log: count them, stop at the first, or write them as objects',
      default: 'skip',
      page: 'parse.md#foreign-lines',
    },
    ...LOG_READING,
  },
  help: `The forms of --as:
${formatKinds(LOG_FORMS)}

Groups of concurrent requests are told apart. Plugins and paths are read
unchanged from the log. Several logs are read as one, in the order of their
times; gzip is unpacked.`,
  examples: [
    'webmail-diaglog parse error.log > requests.csv',
    'webmail-diaglog parse --as records error.log | jq -r .instant | uniq -c',
    'webmail-diaglog parse --as otel error.log > error.jsonl',
    'webmail-diaglog parse --as records --foreign emit error.log* > all.ndjson',
    'webmail-diaglog parse --as deployment error.log > site.json',
    `webmail-diaglog parse error.log |
  webmail-diaglog replay --order keep --deployment site.json | cmp - error.log`,
  ],
  exit: { 0: 'done', 1: 'the log is at fault', ...ENDED },
} satisfies CommandDefinition;
