import { CANARY_FINDINGS, DEFAULT_LATE_MS } from '../../canary/findings.js';
import { requireRunName } from '../../canary/mark.js';
import { ARRIVALS } from '../../requests/synth/arrivals.js';
import { PROFILES } from '../../requests/synth/traffic.js';
import { COMPARISON } from '../options/comparison.js';
import { DEPLOYMENT, ENVELOPE } from '../options/deployment.js';
import { formatKinds } from '../options/help-text.js';
import { ADDRESS } from '../options/listening.js';
import { CALL_AT_FAULT, type CommandDefinition } from '../options/option.js';
import { findingOptions, FRAMING, OUTPUT, rotationOptions } from '../options/output.js';
import { DURATION, FILE, freeValue, kindOf, NUMBER } from '../options/values.js';

export const COMMAND = {
  name: 'canary',
  summary: 'writes live traffic, and reports what does not arrive',
  description: 'Writes live traffic to a log, follows what a pipeline delivers, and reports losses as they happen.',
  arguments: {
    log: { required: true, meaning: 'the log to append to, or a socket; - for standard output' },
    received: { required: true, repeated: true, meaning: 'what the pipeline delivers; - for standard input' },
  },
  options: {
    rate: { value: NUMBER, meaning: 'average requests per second', default: 1 },
    duration: {
      value: { ...DURATION, placeholder: 'time' },
      meaning: 'how long the run lasts: 90s, 15m, 1h, 7d',
      otherwise: 'until it is ended',
    },
    late: {
      value: { ...DURATION, placeholder: 'time' },
      meaning: 'how long a record may be outstanding before it is missing',
      otherwise: `${String(DEFAULT_LATE_MS / 1000)}s`,
    },
    run: { value: freeValue('name', requireRunName), meaning: 'name of this run in its marks, unique', otherwise: 'a new one' },
    ...COMPARISON,
    ...findingOptions('findings', CANARY_FINDINGS, 'findings of these kinds', 'findings a minute; all records are counted'),
    metrics: {
      value: ADDRESS,
      meaning: 'answer GET /metrics for Prometheus at [host:]port; port 0 picks a free one',
      detail: 'The host is 127.0.0.1 unless given.',
      page: 'canary.md#metrics',
    },
    profile: { value: kindOf('profile', PROFILES), meaning: 'how traffic spreads over day and week', default: 'flat' },
    arrivals: {
      value: kindOf('kind', ARRIVALS),
      meaning: 'how requests follow one another',
      default: 'poisson',
      page: 'synth.md#arrivals',
    },
    targets: { value: FILE, meaning: 'the targets to draw from, with weights', page: 'synth.md#targets' },
    pidFile: { value: FILE, meaning: 'write the id of the process to this file, which the end removes' },
    ...OUTPUT,
    framing: FRAMING,
    ...rotationOptions('<log>'),
    ...DEPLOYMENT,
    ...ENVELOPE,
  },
  help: `Files are followed as tail -F does. Each target that is written carries the mark
canary=<run>-<n>. Deprecation records, which have no target, are judged by their
text. Any other record without that mark is counted as one of the "others".
Two canaries need two names: --run must be unique.

The report has a line for each finding: when it was found, its kind, the number
of records, their requests, and when the first of them was written. An outage is
a line or two, not one a second. The last line is a summary. The kinds:
${formatKinds(CANARY_FINDINGS)}

The traffic ends after --duration, or at SIGINT or SIGTERM. The run then waits
for outstanding records, at most --late. It also ends when standard input ends.
A second signal ends it at once, with the summary. If <log> is renamed, the run
goes on in a new file within a second; SIGHUP does so at once.`,
  examples: [
    'webmail-diaglog canary app.log received.log',
    'webmail-diaglog canary app.log out.ndjson --field message --rate 5',
    'webmail-diaglog canary app.log out.ndjson --field message --metrics 9464',
    'kubectl logs -f collector | webmail-diaglog canary app.log - --late 1m',
    'webmail-diaglog canary - out.ndjson --field message -o report.txt',
    'webmail-diaglog canary app.log out.log --duration 10m --json | tail -n 1',
  ],
  exit: {
    0: 'everything arrived unchanged, once, in order and in time',
    1: 'something was found that is not allowed, or nothing was written',
    ...CALL_AT_FAULT,
    '128 + n': 'ended by a second signal n',
  },
} satisfies CommandDefinition;
