import type { Command } from 'commander';
import { FINDINGS, FINDING_KINDS } from '../../compare/findings.js';
import { FIELD_OPTION, FIELDS_OPTION, KIND_OPTION, LOSSY_OPTION, resolveComparison } from '../options/comparison.js';
import { allowOption, formatKinds, maxOption } from '../options/findings.js';
import { optionOf } from '../options/option.js';
import { OUTPUT_OPTION, QUIET_OPTION } from '../options/output-file.js';
import { parseDuration } from '../options/quantities.js';

const HELP = `
The report has a line for each finding, and a summary as its last line.
Consecutive records of one kind are one finding:
  SOURCE:LINE: kind: …
  SOURCE:FIRST-LAST: kind: N records; …

The kinds:
${formatKinds(FINDINGS)}

Equal records are interchangeable: any of them may be named as missing. Write
the log with --mark (synth, replay), so that no two targets are equal.

--fields checks how the pipeline parses records. Its names are the fields of
parse --as records: instant, request_target and so on.

--wait follows both sides as tail -F does, and waits for files that do not exist
yet. It ends when no file has grown for the duration: choose one longer than any
pause of the writer or the pipeline. The summary then says how long records
took. SIGINT and SIGTERM end it at once, with the report of what has arrived.

Examples:
  webmail-diaglog synth --mark r -o app.log
  webmail-diaglog compare app.log received.log
  webmail-diaglog compare app.log out.ndjson --field message
  webmail-diaglog compare app.log out.ndjson --fields instant=time,kind=type
  webmail-diaglog compare --wait 30s app.log out.ndjson --field message
  webmail-diaglog compare --json --max 0 app.log received.log | jq .share

Exit codes: 0 nothing found that is not allowed, 1 something found, 2 the call
or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `compare`. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .argument('<expected>', 'the log that was sent; - for standard input')
    .argument('[received...]', 'what was delivered; standard input if omitted or -')
    .addOption(FIELD_OPTION)
    .addOption(FIELDS_OPTION)
    .addOption(KIND_OPTION)
    .addOption(LOSSY_OPTION)
    .addOption(optionOf('--wait <duration>', 'follow the files until nothing new has arrived for this long', parseDuration))
    .addOption(allowOption('--allow <kinds>', 'findings of these kinds', FINDING_KINDS, 'kind'))
    .addOption(maxOption('findings; all records are counted'))
    .option('--json', 'write NDJSON, for machines')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION)
    .summary('compares what a pipeline delivered with what was sent')
    .description('Compares what a pipeline delivered with the log that was sent.')
    .addHelpText('after', HELP)
    .action(async (expected, received, { field, fields, ...options }) => {
      const comparison = resolveComparison(field, fields);
      const { runCompare } = await import('./run.js');
      await runCompare(expected, received, { ...options, comparison });
    });
}
