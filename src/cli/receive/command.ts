import { Option, type Command } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import { FAIL_BODIES } from '../../receive/failures.js';
import { addListeningOptions } from '../options/listening.js';
import { optionOf } from '../options/option.js';
import { OUTPUT_OPTION, QUIET_OPTION } from '../options/output-file.js';
import { findNumber, parseDuration, parseSeed } from '../options/quantities.js';
import { addRotationOptions, resolveRotation } from '../options/rotation.js';

const HELP = `
Each log event is a line of JSON. The path of a request says how it is read:
  /_bulk, /<index>/_bulk, /<index>/_doc   Elasticsearch, OpenSearch: the
                                          document as it came
  /loki/api/v1/push                       Loki, JSON: timestamp, labels, line
  /v1/logs                                OTLP/HTTP, JSON: the log record, with
                                          its resource
  /services/collector, .../event          Splunk HEC: the envelope, with event
  /services/collector/raw                 text: each line as message
  any other                               the objects of JSON or NDJSON, or text
                                          (Content-Type: text/plain)

200 means that all lines of the request are in the output. A body may be gzip,
and hold up to 64 MiB unpacked. While the output cannot be written, the answer
is 503, and nothing of the request is written.

With -o, SIGHUP reopens the file, for rotation by another program.

Examples:
  webmail-diaglog receive --port 9200 -o received.ndjson
  webmail-diaglog receive --port 3100 | jq -r .line
  webmail-diaglog receive --fail 0.1 --lose-answer 0.1 -o received.ndjson
  webmail-diaglog compare sent.log received.ndjson --field message

Exit codes: 0 ended by SIGINT or SIGTERM, or the reader of the output went away,
2 the call or the environment is at fault.`;

/** Adds the command `receive`. */
export function addReceiveCommand(program: Command): void {
  const withOwn = addListeningOptions(program.command('receive'))
    .addOption(optionOf('--fail <share>', 'answer this share of requests with 503 and store nothing', parseShare).default(0))
    .addOption(new Option('--fail-body <form>', 'body of such a 503').choices(FAIL_BODIES).default('json'))
    .addOption(
      optionOf('--lose-answer <share>', 'store this share of requests, then close without an answer', parseShare).default(0),
    )
    .addOption(optionOf('--delay <duration>', 'delay of each answer: 500ms, 2s', parseDuration))
    .addOption(optionOf('--seed <integer>', 'seed of the random generator of --fail and --lose-answer', parseSeed).default(1))
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  addRotationOptions(withOwn)
    .summary('what collectors send over HTTP -> NDJSON')
    .description(
      'Takes what collectors send over HTTP, answers as their backend would, and writes a line of JSON for each log event.',
    )
    .addHelpText('after', HELP)
    .action(async ({ fail: failShare, loseAnswer: loseShare, delay: delayMs = 0, ...options }) => {
      if (failShare + loseShare > 1) {
        throw new CallError({ source: '--fail' }, 'exceeds 1 together with --lose-answer', 'lower one of them');
      }
      const { runReceive } = await import('./run.js');
      const rotation = resolveRotation(options, options.output);
      await runReceive({ ...options, failShare, loseShare, delayMs, rotation });
    });
}

function parseShare(flag: string, text: string): number {
  const share = findNumber(text);
  if (share !== undefined && share <= 1) return share;
  throw refuseOption(flag, text, 'is not a share from 0 to 1', 'give one such as 0.1');
}
