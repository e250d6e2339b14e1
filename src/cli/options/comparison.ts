import { FIELD_NAMES } from '../../compare/fields.js';
import { RECORD_KINDS } from '../../log/fields.js';
import type { Options } from './option.js';
import { foundValue, oneOf, pathsOf } from './values.js';

export const COMPARISON = {
  field: {
    value: foundValue('path', (text) => text || undefined, 'a field', 'its name, such as message'),
    meaning: 'the raw line is in this field of NDJSON, such as event.original',
    page: 'compare.md#ndjson',
  },
  fields: {
    value: pathsOf(FIELD_NAMES, 'request_target=url.original'),
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
