import { fieldOf, FIELDS_OF } from '../log/fields.js';
import { isPlainJson, jsonFieldsOf } from '../log/byte-string.js';
import { formatUtcSecond } from '../log/timestamp.js';
import type { DocumentForm } from './document-form.js';

/**
 * Lines of NDJSON: `kind`, `source` if the log is several files, `line`, `group`, `instant`, and the fields by their names. A field with
 * `_base64` behind its name has bytes that are not UTF-8.
 */
export const RECORDS: DocumentForm = {
  format: (logged, { line, source }) => {
    if (!('record' in logged))
      return `${JSON.stringify({ kind: 'foreign', source, line, ...jsonFieldsOf('text', logged.text) })}\n`;
    const { record, group = null, second } = logged;
    const instant = RECORDS.instantOf(second) ?? null;
    const document: Record<string, unknown> = { kind: record.kind, source, line, group, instant };
    for (const name of FIELDS_OF[record.kind]) {
      const value = fieldOf(record, name);
      if (typeof value === 'string' && !isPlainJson(value)) Object.assign(document, jsonFieldsOf(name, value));
      else document[name] = value;
    }
    return `${JSON.stringify(document)}\n`;
  },
  instantOf: (second) => (second === undefined ? undefined : `${formatUtcSecond(second)}Z`),
};
