import { formatJsonField } from '../log/json-text.js';
import type { Deprecation, LoadFailure } from '../log/line.js';
import type { LoggedLine } from '../reading/logged.js';
import { UtcSeconds, type DocumentForm, type FieldPlace } from './forms.js';

/**
 * Formats records as lines of NDJSON: `kind`, `line`, `group` (null for an incomplete group), `instant` (ISO 8601 in UTC; null for an
 * unknown instant), and the fields of 2.1 or 2.2 by their names, in the order of the specification. U+FFFD replaces bytes that are
 * not UTF-8; a field with `_base64` behind its name then has the bytes. `source` comes before `line` if the log is several files. A foreign
 * line has `kind`, `line` and `text`.
 */
export class RecordJson implements DocumentForm {
  readonly #utc = new UtcSeconds();

  format(logged: LoggedLine, place: FieldPlace): string {
    const at = formatPlace(place);
    if (!('record' in logged)) return `{"kind":"foreign"${at},${formatJsonField('text', logged.text)}}\n`;
    const { record, group, second } = logged;
    const head = `{"kind":"${record.kind}"${at},"group":${String(group ?? null)}${this.formatInstant(second)}`;
    const rest = record.kind === 'load_failure' ? formatFailure(record) : formatDeprecation(record);
    return `${head},"timestamp":"${record.timestamp}"${rest}}\n`;
  }

  formatInstant(second: number | undefined): string {
    return `,"instant":${second === undefined ? 'null' : `"${this.#utc.format(second)}Z"`}`;
  }
}

function formatFailure(failure: LoadFailure): string {
  const offset = `,"utc_offset":"${failure.utcOffset}"${field('runtime_tag', failure.runtimeTag)}`;
  const paths =
    field('plugin_file_path', failure.pluginFilePath) + field('plugin_loader_file_path', failure.pluginLoaderFilePath);
  const descriptor = field('http_method', failure.httpMethod) + field('request_target', failure.requestTarget);
  return `${offset}${paths},"line_number":${String(failure.lineNumber)}${descriptor}`;
}

function formatDeprecation({ timezoneName, runtimeTag, sessionFilePath, lineNumber }: Deprecation): string {
  const zone = field('timezone_name', timezoneName) + field('runtime_tag', runtimeTag);
  return `${zone}${field('session_file_path', sessionFilePath)},"line_number":${String(lineNumber)}`;
}

function formatPlace({ line, source }: FieldPlace): string {
  return `${source === undefined ? '' : `,"source":${source}`},"line":${String(line)}`;
}

/** Formats a field whose value is a byte string, with a comma before it. */
function field(name: string, value: string): string {
  return `,${formatJsonField(name, value)}`;
}
