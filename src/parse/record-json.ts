import { decodeText } from '../log/byte-string.js';
import type { LogRecord } from '../log/line.js';
import type { LoggedRecord } from '../reading/logged-records.js';

/** The fields of 2.1 and 2.2 by their names in the specification, in its order. */
function fieldsOf(record: LogRecord): readonly (readonly [name: string, value: string | number])[] {
  if (record.kind === 'load_failure') {
    return [
      ['timestamp', record.timestamp],
      ['utc_offset', record.utcOffset],
      ['runtime_tag', record.runtimeTag],
      ['plugin_file_path', record.pluginFilePath],
      ['plugin_loader_file_path', record.pluginLoaderFilePath],
      ['line_number', record.lineNumber],
      ['http_method', record.httpMethod],
      ['request_target', record.requestTarget],
    ];
  }
  return [
    ['timestamp', record.timestamp],
    ['timezone_name', record.timezoneName],
    ['runtime_tag', record.runtimeTag],
    ['session_file_path', record.sessionFilePath],
    ['line_number', record.lineNumber],
  ];
}

/**
 * A record as a line of NDJSON: `kind`, `line`, `group` (null where its group lacks a record), `instant` (ISO 8601, UTC; null where it
 * is not known), and the fields of 2.1 or 2.2. A text that is no UTF-8 has U+FFFD where it is none, and its bytes beside it in a field
 * of its name and `_base64`. The line is text, to be written as UTF-8; it ends in LF.
 */
export function formatRecordJson({ record, line, group, second }: LoggedRecord): string {
  const head = `{"kind":"${record.kind}","line":${String(line)},"group":${String(group ?? null)},"instant":${formatInstant(second)}`;
  return `${fieldsOf(record).reduce((json, [name, value]) => json + formatField(name, value), head)}}\n`;
}

/** A Unix second as ISO 8601 in UTC, in quotes; null for none. */
function formatInstant(second: number | undefined): string {
  return second === undefined ? 'null' : `"${new Date(second * 1000).toISOString().replace('.000Z', 'Z')}"`;
}

/** Texts that stand in JSON as they are: printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

function formatField(name: string, value: string | number): string {
  if (typeof value === 'number') return `,"${name}":${String(value)}`;
  if (PLAIN.test(value)) return `,"${name}":"${value}"`;
  const text = decodeText(value);
  if (text !== undefined) return `,"${name}":${JSON.stringify(text)}`;
  const bytes = Buffer.from(value, 'latin1');
  return `,"${name}":${JSON.stringify(bytes.toString('utf8'))},"${name}_base64":"${bytes.toString('base64')}"`;
}
