import { Option, type Command } from 'commander';

const FORMS = ['requests', 'records', 'ecs', 'otel', 'deployment'] as const;
const ON_FOREIGN = ['skip', 'stop'] as const;

/** The options as given. */
export interface RawParseOptions {
  readonly as: (typeof FORMS)[number];
  readonly foreign: (typeof ON_FOREIGN)[number];
  readonly output?: string;
}

const EXAMPLES = `
requests: CSV with a row for each group, as replay reads it: timestamp,http_method,request_target.
records: NDJSON with an object for each record: kind, line, group, instant, and the fields of the specification.
ecs: the records as documents of the Elastic Common Schema, NDJSON.
otel: the records as OTLP/JSON, one log record a line, as the OpenTelemetry collector's otlpjsonfile receiver reads it.
deployment: the deployment file of the log's first complete group.

Groups of concurrent requests are told apart. Plugins and paths are read as they stand in the log.

Examples:
  webmail-diaglog parse error.log > requests.csv
  webmail-diaglog parse --as records error.log | jq -r 'select(.kind == "load_failure") | .plugin_file_path'
  webmail-diaglog parse --as otel error.log > error.jsonl
  webmail-diaglog parse --as deployment error.log > site.json
  webmail-diaglog parse error.log | webmail-diaglog replay --order keep --deployment site.json | cmp - error.log

Exit codes: 0 done, 1 the log is at fault, 2 the call or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `parse`. */
export function addParseCommand(program: Command): void {
  program
    .command('parse')
    .summary('the log -> a request list, or structured records')
    .description('Reads the log back: the list of requests that it shows, its records, or its deployment.')
    .argument('[log]', 'the log; left out or -, standard input')
    .addOption(new Option('--as <form>', 'what to make of the log').choices(FORMS).default('requests'))
    .addOption(
      new Option('--foreign <action>', 'count lines that are no record of this log, or stop at the first')
        .choices(ON_FOREIGN)
        .default('skip'),
    )
    .option('-o, --output <file>', 'append to a file instead of writing to stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, raw: RawParseOptions) => {
      const { runParse } = await import('./run.js');
      await runParse(file, raw);
    });
}
