import { DEPLOYMENT, ENVELOPE } from '../options/deployment.js';
import { LISTENING } from '../options/listening.js';
import { CALL_AT_FAULT, type CommandDefinition } from '../options/option.js';
import { OUTPUT } from '../options/output.js';
import { PREFIXES } from '../options/values.js';

const DEFAULT_PREFIXES = ['mail', 'poczta', 'webmail'];

export const COMMAND = {
  name: 'serve',
  summary: 'HTTP requests -> the log',
  description: 'Answers HTTP requests as the webmail would, and writes their log: a group of records for each request.',
  arguments: {},
  options: {
    ...LISTENING,
    prefixes: {
      value: PREFIXES,
      meaning: 'the path prefixes under which the webmail is mounted',
      default: DEFAULT_PREFIXES,
      detail: 'A prefix may hold a slash.',
    },
    ...OUTPUT,
    ...ENVELOPE,
    ...DEPLOYMENT,
  },
  help: `GET requests for /<prefix>/, /<prefix>/index.php and
/<prefix>/public_html/index.php, with any query, are answered with 200 once
their group is in the log. Other answers are not logged: 404 for another path,
405 for another method, 503 while the log cannot be written.

With -o, SIGHUP reopens the file, for rotation.`,
  examples: [
    'webmail-diaglog serve -o error.log',
    'webmail-diaglog serve --port 0 --prefixes mail | tee error.log',
    "curl 'http://127.0.0.1:8080/poczta/?_task=login'",
  ],
  exit: { 0: 'ended by SIGINT or SIGTERM, or the reader of the log went away', ...CALL_AT_FAULT },
} satisfies CommandDefinition;
