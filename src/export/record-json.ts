import { fieldOf, FIELDS_OF } from '../log/fields.js';
import { formatJsonField } from '../log/json-text.js';
import type { LogRecord } from '../log/line.js';
import { formatUtcSecond, MinuteText } from '../log/timestamp.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import type { DocumentForm, FieldPlace } from './document-form.js';

/**
 * Formats records as lines of NDJSON: `kind`, `source` if the log is several files, `line`, `group`, `instant`, and the fields by
 * their names. A field with `_base64` behind its name has bytes that are not UTF-8.
 */
export class RecordJson implements DocumentForm {
  readonly #utc = new MinuteText(formatUtcSecond);

  format(logged: LoggedLine, place: FieldPlace): string {
    const at = formatPlace(place);
    if (!('record' in logged)) return `{"kind":"foreign"${at},${formatJsonField('text', logged.text)}}\n`;
    const { record, group, second } = logged;
    const head = `{"kind":"${record.kind}"${at},"group":${String(group ?? null)}${this.formatInstant(second)}`;
    return `${head}${formatFields(record)}}\n`;
  }

  formatInstant(second: number | undefined): string {
    return `,"instant":${second === undefined ? 'null' : `"${this.#utc.format(second)}Z"`}`;
  }
}

function formatFields(record: LogRecord): string {
  let fields = '';
  for (const name of FIELDS_OF[record.kind]) {
    const value = fieldOf(record, name);
    if (typeof value === 'string') fields += `,${formatJsonField(name, value)}`;
    else if (value !== undefined) fields += `,"${name}":${String(value)}`;
  }
  return fields;
}

function formatPlace({ line, source }: FieldPlace): string {
  return `${source === undefined ? '' : `,"source":${source}`},"line":${String(line)}`;
}
