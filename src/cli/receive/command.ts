import { refuseUse } from '../../errors.js';
import { FAIL_BODIES, FAIL_STATUSES } from '../../receive/failures.js';
import { PROTOCOLS } from '../../receive/protocols.js';
import { runCommand } from '../command-run.js';
import { nameFlag } from '../flags.js';
import { say } from '../messages.js';
import { wrapHelp } from '../options/help-text.js';
import { ADDRESSES, DEFAULT_PORT, LISTENING, PORT } from '../options/listening.js';
import { CALL_AT_FAULT, defineCommand, type Options } from '../options/option.js';
import { OUTPUT, resolveRotation, rotationOptions } from '../options/output.js';
import { DURATION, oneOf, SEED, SHARE } from '../options/values.js';

const HELP = `Each log event is a line of JSON. The path of a request says how it is read:
${listProtocols()}

Over --tcp and --udp each line, counted message (RFC 6587) or datagram is
{"message":"..."}.

200 means that all lines of the request are in the output. A body may be gzip,
and hold up to 64 MiB unpacked. While the output cannot be written, the answer
is 503, and nothing of the request is written.

With -o, SIGHUP reopens the file, for rotation by another program.`;

const EXAMPLES = [
  'webmail-diaglog receive --port 9200 -o received.ndjson',
  'webmail-diaglog receive --port 3100 | jq -r .line',
  'webmail-diaglog receive --tcp 5514 --udp 5514 -o received.ndjson',
  'webmail-diaglog receive --fail 0.1 --lose-answer 0.1 -o received.ndjson',
  'webmail-diaglog receive --fail 0.1 --fail-status 429 --fail-items 0.05',
  'webmail-diaglog compare sent.log received.ndjson --field message',
];

/** The protocols: their paths, and what a line is, without the marks of Markdown. */
function listProtocols(): string {
  const rows = Object.values(PROTOCOLS).map(({ paths, meaning, line }) => `${paths}: ${meaning}; ${line}`);
  return rows
    .map((row) => `  ${wrapHelp(row.replaceAll('`', '').replaceAll('…', '...'), '    '.length).replaceAll('\n', '\n    ')}`)
    .join('\n');
}

const ON_PURPOSE = 'receive.md#failures-on-purpose';

const OPTIONS = {
  host: LISTENING.host,
  port: {
    value: PORT,
    meaning: 'port for HTTP; 0 picks a free one',
    detail: LISTENING.port.detail,
    otherwise: `${String(DEFAULT_PORT)}, without --tcp and --udp`,
  },
  tcp: {
    value: ADDRESSES,
    meaning: 'listen for syslog and lines over TCP; repeatable',
    page: 'receive.md#tcp-and-udp',
  },
  udp: {
    value: ADDRESSES,
    meaning: 'listen for datagrams; repeatable',
    page: 'receive.md#tcp-and-udp',
  },
  fail: { value: SHARE, meaning: 'answer this share of requests with 503 and store nothing', default: 0, page: ON_PURPOSE },
  failStatus: {
    value: oneOf('code', FAIL_STATUSES),
    meaning: 'another status of such an answer',
    otherwise: FAIL_STATUSES[0],
  },
  failBody: {
    value: oneOf('form', FAIL_BODIES),
    meaning: 'body of such an answer',
    otherwise: FAIL_BODIES[0],
    detail: 'An error of the backend, the page of a proxy, or nothing.',
  },
  failItems: {
    value: SHARE,
    meaning: 'refuse this share of the documents of _bulk one by one',
    default: 0,
    page: ON_PURPOSE,
  },
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
} satisfies Options;

/** The command `receive`. */
export const RECEIVE = defineCommand({
  name: 'receive',
  summary: 'what collectors send -> NDJSON',
  description:
    'Takes what collectors send, answers over HTTP as their backend would, and writes a line of JSON for each log event.',
  arguments: {},
  options: OPTIONS,
  kinds: { protocols: PROTOCOLS },
  help: HELP,
  examples: EXAMPLES,
  exit: { 0: 'ended by SIGINT or SIGTERM, or the reader of the output went away', ...CALL_AT_FAULT },
  run: async (_args, { fail: failShare, loseAnswer: loseShare, failItems: failItemShare, delay: delayMs = 0, ...options }) => {
    if (failShare + loseShare > 1)
      throw refuseUse('fail', (option) => `exceeds 1 together with ${option('loseAnswer')}`, 'lower one of them');
    const form = (['failStatus', 'failBody'] as const).find((key) => options[key] !== undefined);
    if (failShare === 0 && form !== undefined)
      throw refuseUse(form, 'no request is to fail', (option) => `give ${option('fail')} with a share, such as 0.1`);
    const tcp = options.tcp?.map((address) => ({ ...address, option: 'tcp' })) ?? [];
    const udp = options.udp?.map((address) => ({ ...address, option: 'udp' })) ?? [];
    const port = options.port ?? (tcp.length + udp.length > 0 ? undefined : DEFAULT_PORT);
    const onHttp = { fail: failShare, failItems: failItemShare, loseAnswer: loseShare, delay: delayMs };
    const withoutHttp = port === undefined && Object.entries(onHttp).find(([, value]) => value > 0);
    if (withoutHttp) throw refuseUse(withoutHttp[0], 'applies to HTTP only', (option) => `give ${option('port')} too`);
    const { failStatus = FAIL_STATUSES[0], failBody = FAIL_BODIES[0] } = options;
    const failures = { failShare, failStatus, failBody, failItemShare, loseShare, delayMs, seed: options.seed };
    const rotation = resolveRotation(options, options.output);
    const onListening = (address: string): void => {
      say(`listening on ${address}`);
    };
    const service = { ...failures, port, tcp, udp, host: options.host, maxFileBytes: rotation?.maxBytes ?? Infinity };
    const { receive } = await import('../../receive/receive.js');
    await runCommand({ ...options, rotation, noun: 'line', isService: true }, async (run) => {
      await receive({ ...service, onListening, warn: say, nameOption: nameFlag }, await run.openOutput(), run.signal);
      return run.stopped;
    });
  },
});
