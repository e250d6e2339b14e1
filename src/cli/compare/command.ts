import { Option, type Command } from 'commander';
import { FIELD_NAMES, type FieldName } from '../../compare/fields.js';
import { FINDING_KINDS, RECORD_KINDS, type FindingKind } from '../../compare/findings.js';
import type { Comparison } from '../../compare/options.js';
import { CallError, refuseOption } from '../../errors.js';
import { allowParser, DEFAULT_MAX, parseMax } from '../options/findings.js';
import { addLogOptions } from '../options/output-file.js';
import { parseDuration } from '../options/quantities.js';

const MEANINGS: Readonly<Record<FindingKind, string>> = {
  missing: 'a record that was sent did not arrive',
  duplicated: 'a record arrived once more than it was sent',
  altered: 'a record arrived with other bytes, or another value of a field',
  reordered: 'a record arrived in another order',
  foreign: 'anything else that arrived',
};

const HELP = `
The report has a line for each finding, and a summary as its last line.
Consecutive records of one kind are one finding:
  SOURCE:LINE: kind: …
  SOURCE:FIRST-LAST: kind: N records; …

The kinds:
${Object.entries(MEANINGS)
  .map(([kind, meaning]) => `  ${kind.padEnd(11)} ${meaning}`)
  .join('\n')}

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
  addOptions(program.command('compare'))
    .summary('compares what a pipeline delivered with what was sent')
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
    .argument('<expected>', 'the log that was sent; - for standard input')
    .argument('[received...]', 'what was delivered; standard input if omitted or -')
    .addOption(
      new Option('--field <path>', 'the raw line is in this field of NDJSON, such as event.original').argParser(parseField),
    )
    .addOption(new Option('--fields <name=path,…>', 'compare these fields of parsed NDJSON').argParser(parseFields))
    .addOption(new Option('--kind <kind>', 'compare only records of this kind').choices(RECORD_KINDS))
    .option('--lossy', 'treat what collectors make of bytes that are not UTF-8 as equal')
    .addOption(
      new Option('--wait <duration>', 'follow the files until nothing new has arrived for this long').argParser((text) =>
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

function resolveComparison(path: string | undefined, fields: ReadonlyMap<FieldName, string> | undefined): Comparison {
  if (path !== undefined && fields !== undefined) {
    throw new CallError({ source: '--fields' }, 'cannot be combined with --field', 'give one of the two');
  }
  if (path !== undefined) return { as: 'field', path };
  return fields === undefined ? { as: 'lines' } : { as: 'fields', fields };
}

function parseField(path: string): string {
  if (path === '') throw new CallError({ source: '--field' }, 'the path is empty', 'name a field, such as message');
  return path;
}

function parseFields(text: string): ReadonlyMap<FieldName, string> {
  const paths = new Map<FieldName, string>();
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    const path = pair.slice(equals + 1).trim();
    const known = FIELD_NAMES.find((field) => field === name);
    if (equals === -1 || path === '')
      throw refuseOption('--fields', pair, 'is not a name=path pair', 'give one such as request_target=url.original');
    if (known === undefined)
      throw refuseOption('--fields', name, 'is not a field of a record', `the fields are ${FIELD_NAMES.join(', ')}`);
    if (paths.has(known)) throw refuseOption('--fields', name, 'is named twice', 'name each field once');
    paths.set(known, path);
  }
  return paths;
}
