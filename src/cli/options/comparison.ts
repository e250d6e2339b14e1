import { Option } from 'commander';
import { FIELD_NAMES, type FieldName } from '../../compare/fields.js';
import type { Comparison } from '../../compare/options.js';
import { CallError, refuseOption } from '../../errors.js';
import { RECORD_KINDS } from '../../log/line.js';
import { optionOf } from './option.js';

export const FIELD_OPTION = optionOf(
  '--field <path>',
  'the raw line is in this field of NDJSON, such as event.original',
  parseField,
);
export const FIELDS_OPTION = optionOf('--fields <name=path,…>', 'compare these fields of parsed NDJSON', parseFields);
export const KIND_OPTION = new Option('--kind <kind>', 'compare only records of this kind').choices(RECORD_KINDS);
export const LOSSY_OPTION = new Option('--lossy', 'treat what collectors make of bytes that are not UTF-8 as equal');

/** Resolves what is compared. @param path that of `--field` @throws CallError if both options are given */
export function resolveComparison(path: string | undefined, fields: ReadonlyMap<FieldName, string> | undefined): Comparison {
  if (path !== undefined && fields !== undefined) {
    throw new CallError({ source: '--fields' }, 'cannot be combined with --field', 'give one of the two');
  }
  if (path !== undefined) return { as: 'field', path };
  return fields === undefined ? { as: 'lines' } : { as: 'fields', fields };
}

function parseField(flag: string, path: string): string {
  if (path === '') throw new CallError({ source: flag }, 'the path is empty', 'name a field, such as message');
  return path;
}

function parseFields(flag: string, text: string): ReadonlyMap<FieldName, string> {
  const paths = new Map<FieldName, string>();
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    const path = pair.slice(equals + 1).trim();
    const known = FIELD_NAMES.find((field) => field === name);
    if (equals === -1 || path === '')
      throw refuseOption(flag, pair, 'is not a name=path pair', 'give one such as request_target=url.original');
    if (known === undefined)
      throw refuseOption(flag, name, 'is not a field of a record', `the fields are ${FIELD_NAMES.join(', ')}`);
    if (paths.has(known)) throw refuseOption(flag, name, 'is named twice', 'name each field once');
    paths.set(known, path);
  }
  return paths;
}
