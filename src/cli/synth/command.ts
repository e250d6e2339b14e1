import { FAULTS } from '../../faults/kinds.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { DEFAULT_FROM } from '../../requests/synth/plan-traffic.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { formatKinds } from '../options/help-text.js';
import { LOG_WRITER_HELP, LOG_WRITING, SPEED } from '../options/log-writer.js';
import { ENDED, type CommandDefinition } from '../options/option.js';
import { FILE, kindOf, oneOf, SEED, textOf, TIME } from '../options/values.js';

const SPAN = 'synth.md#count-rate-and-duration';

export const COMMAND = {
  name: 'synth',
  summary: 'a seed -> the log, or a request list',
  description: 'Generates requests from a seed, and writes their log or the list of them.',
  arguments: {},
  options: {
    seed: { value: SEED, meaning: 'seed of the random generator', default: 1 },
    from: {
      value: TIME,
      meaning: 'when the traffic begins, or "now"',
      otherwise: `${DEFAULT_FROM} on the clock of --timezone`,
      detail: 'In [any form of a request list](replay.md#the-request-list).',
    },
    to: { value: TIME, meaning: 'when the traffic has ended', otherwise: 'a day after --from', detail: 'Exclusive.' },
    duration: { value: TIME, meaning: 'how long the traffic lasts, instead of --to: 90s, 15m, 1h, 7d', page: SPAN },
    count: { value: textOf('n'), meaning: 'number of requests, or "forever"', otherwise: '1000', page: SPAN },
    rate: { value: textOf('number'), meaning: 'average requests per second', page: SPAN },
    profile: {
      value: kindOf('profile', PROFILES),
      meaning: 'how the traffic spreads over day and week',
      default: 'flat',
      detail: 'The same traffic at all hours, or more on working days than at night.',
    },
    arrivals: {
      value: kindOf('kind', ARRIVALS),
      meaning: 'how requests follow one another',
      default: 'poisson',
      page: 'synth.md#arrivals',
    },
    targets: {
      value: FILE,
      meaning: 'targets to draw from, with weights',
      detail: 'Left out, the twelve of section 2.4.',
      page: 'synth.md#targets',
    },
    as: {
      value: oneOf('form', ['log', 'requests']),
      meaning: 'write the log, or the list of its requests',
      default: 'log',
      detail: '`replay` turns the list into the same log.',
    },
    shard: { value: textOf('i/n'), meaning: 'write only the i-th of n slices', page: 'synth.md#slices' },
    speed: SPEED,
    live: { meaning: 'short for --from now --speed 1' },
    ...LOG_WRITING,
  },
  help: `The same options give the same bytes, on any machine. Two of --count, --rate and
--to are enough: the third follows from them. Counts may be written 10k, 5M or
1e6, durations 500ms, 90s, 15m, 1h or 7d. --shard 1/n to n/n write slices, on as
many machines as you like. Concatenated in order, the slices are the whole log.

The arrivals of requests:
${formatKinds(ARRIVALS)}

The file of --targets is CSV: request_target,weight or
request_target,weight,http_method. Without --targets, requests are for the
twelve targets of the specification.

${LOG_WRITER_HELP}`,
  examples: [
    'webmail-diaglog synth --seed 7 --count 100000 --profile office > error.log',
    'webmail-diaglog synth --from 2025-03-01 --to 2025-04-01 --rate 2 > error.log',
    'webmail-diaglog synth --rate 2 --duration 1h --as requests > requests.csv',
    'webmail-diaglog synth --live --rate 50 --count forever --rotate 10MB -o e.log',
    'webmail-diaglog synth --as requests | webmail-diaglog replay --dialect php',
    'webmail-diaglog synth --faults all:0.01 --fault-report f.ndjson > broken.log',
    'webmail-diaglog synth --count 20000000 --shard 3/8 > error.3.log',
  ],
  kinds: { faults: FAULTS },
  exit: { 0: 'done', 1: 'the list of targets is at fault', ...ENDED },
} satisfies CommandDefinition;
