import { Option, type Command } from 'commander';
import { FIELD_NAMES, type FieldName } from '../../compare/fields.js';
import { FINDING_KINDS, RECORD_KINDS, type FindingKind } from '../../compare/findings.js';
import type { Comparison } from '../../compare/options.js';
import { CallError, refuseOption } from '../../errors.js';
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
    .addOption(
      new Option('--field <path>', 'the raw line is in this field of NDJSON, such as event.original').argParser(parseField),
    )
    .addOption(new Option('--fields <name=path,…>', 'these fields of parsed NDJSON are compared').argParser(parseFields))
    .addOption(new Option('--kind <kind>', 'compare records of this kind alone').choices(RECORD_KINDS))
    .option('--lossy', 'treat what collectors make of bytes that are not UTF-8 as equal')
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

function resolveComparison(path: string | undefined, fields: ReadonlyMap<FieldName, string> | undefined): Comparison {
  if (path !== undefined && fields !== undefined) {
    throw new CallError({ source: '--fields' }, 'compares parsed fields, --field raw lines', 'give one of the two');
  }
  if (path !== undefined) return { as: 'field', path };
  return fields === undefined ? { as: 'lines' } : { as: 'fields', fields };
}

function parseField(path: string): string {
  if (path === '') throw new CallError({ source: '--field' }, 'it is empty', 'name a field, such as message');
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
      throw refuseOption('--fields', pair, 'is no name=path', 'give one such as request_target=url.original');
    if (known === undefined)
      throw refuseOption('--fields', name, 'is no field of a record', `the fields are ${FIELD_NAMES.join(', ')}`);
    if (paths.has(known)) throw refuseOption('--fields', name, 'is named twice', 'name each field once');
    paths.set(known, path);
  }
  return paths;
}
