import { FIELD_NAMES, type FieldName } from '../../compare/fields.js';
import type { ComparisonOptions } from '../../compare/options.js';
import { refuseOption, refuseUse } from '../../errors.js';
import { RECORD_KINDS } from '../../log/line.js';
import type { Options } from './option.js';
import { oneOf, TEXT } from './values.js';

/** The options of what is compared. */
export const COMPARISON = {
  field: {
    value: { ...TEXT, placeholder: 'path', parse: parseField },
    meaning: 'the raw line is in this field of NDJSON, such as event.original',
    page: 'compare.md#ndjson',
  },
  fields: {
    value: { placeholder: 'name=path,…', completes: 'list', words: FIELD_NAMES, ending: '=', parse: parseFields },
    meaning: 'compare these fields of parsed NDJSON',
    page: 'compare.md#parsed-fields',
  },
  kind: {
    value: oneOf('kind', RECORD_KINDS),
    meaning: 'compare only records of this kind',
    detail: 'Received records of another kind are `foreign`.',
  },
  lossy: {
    meaning: 'treat what collectors make of bytes that are not UTF-8 as equal',
    page: 'compare.md#bytes-that-are-not-utf-8',
  },
} satisfies Options;

function parseField(key: string, path: string): string {
  if (path === '') throw refuseUse(key, 'the path is empty', 'name a field, such as message');
  return path;
}

function parseFields(key: string, text: string): NonNullable<ComparisonOptions['fields']> {
  const paths = new Map<FieldName, string>();
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    const path = pair.slice(equals + 1).trim();
    const known = FIELD_NAMES.find((field) => field === name);
    if (equals === -1 || path === '')
      throw refuseOption(key, pair, 'is not a name=path pair', 'give one such as request_target=url.original');
    if (known === undefined)
      throw refuseOption(key, name, 'is not a field of a record', `the fields are ${FIELD_NAMES.join(', ')}`);
    if (paths.has(known)) throw refuseOption(key, name, 'is named twice', 'name each field once');
    paths.set(known, path);
  }
  return Object.fromEntries(paths);
}
