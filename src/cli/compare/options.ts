import { Option, type Command } from 'commander';
import type { Comparison } from '../../compare/options.js';
import { FINDING_KINDS, RECORD_KINDS, type FindingKind } from '../../compare/findings.js';
import { FIELD_NAMES, type FieldName } from '../../compare/fields.js';
import { CallError, refuseOption } from '../../errors.js';
import type { LogRecord } from '../../log/line.js';
import { parseDuration } from '../options/durations.js';
import { parseAllowed, parseMax } from '../options/findings.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';

/** Adds the arguments and the options of `compare`. */
export function addCompareOptions(command: Command) {
  return command
    .argument('<expected>', 'the log that was sent; -, standard input')
    .argument('[received...]', 'what was delivered; left out or -, standard input')
    .option('--field <path>', 'the raw line is in this field of NDJSON, such as event.original')
    .option('--fields <name=path,…>', 'these fields of parsed NDJSON are compared')
    .addOption(new Option('--kind <kind>', 'compare records of this kind alone').choices(RECORD_KINDS))
    .option('--lossy', 'treat what collectors make of bytes that are not UTF-8 as equal')
    .option('--wait <duration>', 'follow the files until nothing new has come for this long')
    .option(
      '--allow <kinds>',
      'accept findings of these kinds, separated by commas; may be repeated',
      (list: string, before: readonly string[] | undefined): readonly string[] | undefined => [...(before ?? []), list],
    )
    .option('--max <n>', 'write at most this many findings; all records are counted', '100')
    .option('--json', 'write NDJSON, for machines')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
}

/** The options as given. */
type RawCompareOptions = OptionsOf<typeof addCompareOptions>;

/** The options as meant. */
export interface CompareRunOptions {
  readonly comparison: Comparison;
  readonly kind: LogRecord['kind'] | undefined;
  readonly isLossy: boolean;
  /** The files are followed until nothing new has come for so long; undefined if they are compared as they are. */
  readonly waitMs: number | undefined;
  readonly allowed: ReadonlySet<FindingKind>;
  /** The largest number of findings that are written; all are counted. */
  readonly max: number;
  readonly format: 'text' | 'json';
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `compare`. @throws CallError that names the option at fault */
export function resolveCompare(raw: RawCompareOptions): CompareRunOptions {
  return {
    comparison: resolveComparison(raw.field, raw.fields),
    kind: raw.kind,
    isLossy: raw.lossy === true,
    waitMs: raw.wait === undefined ? undefined : parseDuration('--wait', raw.wait),
    allowed: parseAllowed(raw.allow ?? [], FINDING_KINDS, 'kind'),
    max: parseMax(raw.max),
    format: raw.json === true ? 'json' : 'text',
    outputFile: resolveOutputFile(raw.output),
    quiet: raw.quiet === true,
  };
}

function resolveComparison(field: string | undefined, fields: string | undefined): Comparison {
  if (field !== undefined && fields !== undefined) {
    throw new CallError({ source: '--fields' }, 'compares parsed fields, --field raw lines', 'give one of the two');
  }
  if (field === '') throw new CallError({ source: '--field' }, 'it is empty', 'name a field, such as message');
  if (field !== undefined) return { as: 'field', path: field };
  return fields === undefined ? { as: 'lines' } : { as: 'fields', fields: parseFields(fields) };
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
