import { Option, type Command } from 'commander';
import { FINDING_KINDS, type FindingKind } from '../../compare/findings.js';
import { FIELD_OPTION, FIELDS_OPTION, KIND_OPTION, LOSSY_OPTION, resolveComparison } from '../options/comparison.js';
import { allowParser, DEFAULT_MAX, parseMax } from '../options/findings.js';
import { addLogOptions } from '../options/output-file.js';
import { parseDuration } from '../options/quantities.js';

const MEANINGS: Readonly<Record<FindingKind, string>> = {
  missing: 'a record that was sent did not come',
  duplicated: 'a record came once more than it was sent',
  altered: 'a record came with other bytes, or another value of a field',
  reordered: 'a record came in another order',
  foreign: 'anything else that came',
};

const HELP = `
A line for each finding, SOURCE:LINE: kind: …, then a summary. Records in a
row of one kind are one finding, SOURCE:FIRST-LAST: kind: N records; …. Kinds:
${Object.entries(MEANINGS)
  .map(([kind, meaning]) => `  ${kind.padEnd(11)} ${meaning}`)
  .join('\n')}

Equal records are interchangeable: they count, they do not identify. Give synth
or replay --mark, so that no two requests are alike.

--fields names fields as parse --as records does (instant, request_target, …):
the pipeline's parsing is compared with the truth.

--wait follows both sides as tail -F does, until nothing new has come to any
file for the duration: give a longer one than the writer and the pipeline ever
pause. It measures how long records took, and waits for files that do not exist
yet. At SIGINT or SIGTERM it reports what has come.

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
  addOptions(program.command('compare'))
    .summary('what a pipeline delivered, compared with what was sent')
    .description('Compares what a pipeline delivered with the log that was sent.')
    .addHelpText('after', HELP)
    .action(async (expected, received, { field, fields, ...options }) => {
      const comparison = resolveComparison(field, fields);
      const { runCompare } = await import('./run.js');
      await runCompare(expected, received, { ...options, comparison });
    });
}

function addOptions(command: Command) {
  const withOwn = command
    .argument('<expected>', 'the log that was sent; -, standard input')
    .argument('[received...]', 'what was delivered; left out or -, standard input')
    .addOption(FIELD_OPTION)
    .addOption(FIELDS_OPTION)
    .addOption(KIND_OPTION)
    .addOption(LOSSY_OPTION)
    .addOption(
      new Option('--wait <duration>', 'follow the files until nothing new has come for this long').argParser((text) =>
        parseDuration('--wait', text),
      ),
    )
    .addOption(
      new Option('--allow <kinds>', 'accept findings of these kinds, separated by commas; may be repeated').argParser(
        allowParser(FINDING_KINDS, 'kind'),
      ),
    )
    .addOption(
      new Option('--max <n>', 'write at most this many findings; all records are counted')
        .argParser(parseMax)
        .default(DEFAULT_MAX),
    )
    .option('--json', 'write NDJSON, for machines');
  return addLogOptions(withOwn);
}
