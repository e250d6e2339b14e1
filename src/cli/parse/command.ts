import type { Command } from 'commander';
import { addParseOptions, resolveParse } from './options.js';

const HELP = `
The forms of --as:
  requests    CSV with a row for each group, as replay reads it:
              timestamp,http_method,request_target
  records     NDJSON with an object for each record: kind, line, group, instant,
              and the fields of the specification
  ecs         the records as documents of the Elastic Common Schema, NDJSON
  otel        the records as OTLP/JSON, one log record a line, as the
              OpenTelemetry collector's otlpjsonfile receiver reads it
  deployment  the deployment file of the log's first complete group

Groups of concurrent requests are told apart. Plugins and paths are read
unchanged from the log. Several logs are read as one, in the order of their
times; gzip is unpacked.

Examples:
  webmail-diaglog parse error.log > requests.csv
  webmail-diaglog parse --as records error.log | jq -r .instant | uniq -c
  webmail-diaglog parse --as otel error.log > error.jsonl
  webmail-diaglog parse --as records --foreign emit error.log* > all.ndjson
  webmail-diaglog parse --as deployment error.log > site.json
  webmail-diaglog parse error.log |
    webmail-diaglog replay --order keep --deployment site.json | cmp - error.log

Exit codes: 0 done, 1 the log is at fault, 2 the call or the environment is at
fault, 128 + n ended by signal n.`;

/** Adds the command `parse`. */
export function addParseCommand(program: Command): void {
  addParseOptions(program.command('parse'))
    .summary('the log -> a request list, or structured records')
    .description('Reads the log back: the list of requests that it shows, its records, or its deployment.')
    .addHelpText('after', HELP)
    .action(async (files, raw) => {
      const options = resolveParse(raw);
      const { runParse } = await import('./run.js');
      await runParse(files, options);
    });
}
