import { refuseOption } from '../../errors.js';
import { DOCUMENT_FORMS, LOG_FORMS } from '../../export/forms.js';
import { FOREIGN_ACTIONS } from '../../reading/passed-over.js';
import { formatKinds } from '../options/help-text.js';
import { ENDED, defineCommand, type Options } from '../options/option.js';
import { LOG_READING, LOGS } from '../options/output.js';
import { kindOf, oneOf } from '../options/values.js';

/** The forms in which a foreign line has a place, for a message. */
const ANY_DOCUMENT_FORM = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(DOCUMENT_FORMS);

const HELP = `The forms of --as:
${formatKinds(LOG_FORMS)}

Groups of concurrent requests are told apart. Plugins and paths are read
unchanged from the log. Several logs are read as one, in the order of their
times; gzip is unpacked.`;

const EXAMPLES = [
  'webmail-diaglog parse error.log > requests.csv',
  'webmail-diaglog parse --as records error.log | jq -r .instant | uniq -c',
  'webmail-diaglog parse --as otel error.log > error.jsonl',
  'webmail-diaglog parse --as records --foreign emit error.log* > all.ndjson',
  'webmail-diaglog parse --as deployment error.log > site.json',
  `webmail-diaglog parse error.log |
  webmail-diaglog replay --order keep --deployment site.json | cmp - error.log`,
];

const OPTIONS = {
  as: { value: kindOf('form', LOG_FORMS), meaning: 'what to write', default: 'requests' },
  foreign: {
    value: oneOf('action', FOREIGN_ACTIONS),
    meaning: 'lines that are not records of this log: count them, stop at the first, or write them as objects',
    default: 'skip',
    page: 'parse.md#foreign-lines',
  },
  ...LOG_READING,
} satisfies Options;

/** The command `parse`. */
export const PARSE = defineCommand({
  name: 'parse',
  summary: 'the log -> a request list, or structured records',
  description: 'Reads a log, and writes its requests, its records or its deployment.',
  arguments: LOGS,
  options: OPTIONS,
  help: HELP,
  examples: EXAMPLES,
  exit: { 0: 'done', 1: 'the log is at fault', ...ENDED },
  run: async ({ log: files }, options) => {
    const { as: form, foreign } = options;
    if (foreign === 'emit' && (form === 'requests' || form === 'deployment')) {
      throw refuseOption(
        'foreign',
        foreign,
        (option) => `cannot be combined with ${option('as', form)}`,
        (option) => `give ${option('as', ANY_DOCUMENT_FORM)}`,
      );
    }
    const { runParse } = await import('./run.js');
    await runParse(files, options);
  },
});
