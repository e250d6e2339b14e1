import { FAIL_BODIES, FAIL_STATUSES } from '../../receive/failures.js';
import { PROTOCOLS } from '../../receive/protocols.js';
import { wrapHelp } from '../options/help-text.js';
import { ADDRESSES, DEFAULT_PORT, LISTENING, PORT } from '../options/listening.js';
import { CALL_AT_FAULT, type CommandDefinition } from '../options/option.js';
import { OUTPUT, rotationOptions } from '../options/output.js';
import { DURATION, oneOf, SEED, SHARE } from '../options/values.js';

/** The protocols: their paths, and what a line is, without the marks of Markdown. */
function listProtocols(): string {
  const rows = Object.values(PROTOCOLS).map(({ paths, meaning, line }) => `${paths}: ${meaning}; ${line}`);
  return rows
    .map((row) => `  ${wrapHelp(row.replaceAll('`', '').replaceAll('…', '...'), '    '.length).replaceAll('\n', '\n    ')}`)
    .join('\n');
}

const ON_PURPOSE = 'receive.md#failures-on-purpose';

export const COMMAND = {
  name: 'receive',
  summary: 'what collectors send -> NDJSON',
  description:
    'Takes what collectors send, answers over HTTP as their backend would, and writes a line of JSON for each log event.',
  arguments: {},
  options: {
    host: LISTENING.host,
    port: {
      value: PORT,
      meaning: 'port for HTTP; 0 picks a free one',
      detail: LISTENING.port.detail,
      otherwise: `${String(DEFAULT_PORT)}, without --tcp and --udp`,
    },
    tcp: { value: ADDRESSES, meaning: 'listen for syslog and lines over TCP; repeatable', page: 'receive.md#tcp-and-udp' },
    udp: { value: ADDRESSES, meaning: 'listen for datagrams; repeatable', page: 'receive.md#tcp-and-udp' },
    fail: { value: SHARE, meaning: 'answer this share of requests with 503 and store nothing', default: 0, page: ON_PURPOSE },
    failStatus: { value: oneOf('code', FAIL_STATUSES), meaning: 'another status of such an answer', otherwise: FAIL_STATUSES[0] },
    failBody: {
      value: oneOf('form', FAIL_BODIES),
      meaning: 'body of such an answer',
      otherwise: FAIL_BODIES[0],
      detail: 'An error of the backend, the page of a proxy, or nothing.',
    },
    failItems: { value: SHARE, meaning: 'refuse this share of the documents of _bulk one by one', default: 0, page: ON_PURPOSE },
    loseAnswer: {
      value: SHARE,
      meaning: 'store this share of requests, then close without an answer',
      default: 0,
      page: ON_PURPOSE,
    },
    delay: { value: DURATION, meaning: 'delay of each answer: 500ms, 2s' },
    seed: { value: SEED, meaning: 'seed of the random generator of these failures', default: 1 },
    ...OUTPUT,
    ...rotationOptions(),
  },
  kinds: { protocols: PROTOCOLS },
  help: `Each log event is a line of JSON. The path of a request says how it is read:
${listProtocols()}

Over --tcp and --udp each line, counted message (RFC 6587) or datagram is
{"message":"..."}.

200 means that all lines of the request are in the output. A body may be gzip,
and hold up to 64 MiB unpacked. While the output cannot be written, the answer
is 503, and nothing of the request is written.

With -o, SIGHUP reopens the file, for rotation by another program.`,
  examples: [
    'webmail-diaglog receive --port 9200 -o received.ndjson',
    'webmail-diaglog receive --port 3100 | jq -r .line',
    'webmail-diaglog receive --tcp 5514 --udp 5514 -o received.ndjson',
    'webmail-diaglog receive --fail 0.1 --lose-answer 0.1 -o received.ndjson',
    'webmail-diaglog receive --fail 0.1 --fail-status 429 --fail-items 0.05',
    'webmail-diaglog compare sent.log received.ndjson --field message',
  ],
  exit: { 0: 'ended by SIGINT or SIGTERM, or the reader of the output went away', ...CALL_AT_FAULT },
} satisfies CommandDefinition;
