import { formatJsonField } from '../log/json-text.js';
import type { Deprecation, LoadFailure } from '../log/line.js';
import type { LoggedLine } from '../reading/logged.js';
import { LastValueCache, placeInSingleFile, UtcSeconds, type DocumentForm, type FieldPlace } from './document-form.js';

/**
 * Formats records as lines of NDJSON: `kind`, `line`, `group` (null for an incomplete group), `instant` (ISO 8601 in UTC; null for an
 * unknown instant), and the fields of 2.1 or 2.2 by their names, in the order of the specification. U+FFFD stands for bytes that are
 * not UTF-8; a field with `_base64` behind its name then holds the bytes. `source` stands before `line` where the log has several files.
 * A foreign line has `kind`, `line` and `text`.
 */
export class RecordJson implements DocumentForm {
  readonly #utc = new UtcSeconds();
  readonly #instant = new LastValueCache((second: number | undefined) => formatInstant(second, this.#utc));
  readonly #runtimeTag = new LastValueCache(formatField('runtime_tag'));
  readonly #loaderPath = new LastValueCache(formatField('plugin_loader_file_path'));
  readonly #sessionPath = new LastValueCache(formatField('session_file_path'));
  readonly #timezoneName = new LastValueCache(formatField('timezone_name'));
  readonly #method = new LastValueCache(formatField('http_method'));
  readonly #target = new LastValueCache(formatField('request_target'));

  format(logged: LoggedLine, place: FieldPlace = placeInSingleFile(logged)): string {
    const at = formatPlace(place);
    if (!('record' in logged)) return `{"kind":"foreign"${at},${formatJsonField('text', logged.text)}}\n`;
    const { record, group, second } = logged;
    const head = `{"kind":"${record.kind}"${at},"group":${String(group ?? null)}${this.#instant.of(second)}`;
    const rest = record.kind === 'load_failure' ? this.#formatFailure(record) : this.#formatDeprecation(record);
    return `${head},"timestamp":"${record.timestamp}"${rest}}\n`;
  }

  formatInstant(second: number): string {
    return this.#instant.of(second);
  }

  #formatFailure(failure: LoadFailure): string {
    const offset = `,"utc_offset":"${failure.utcOffset}"${this.#runtimeTag.of(failure.runtimeTag)}`;
    const paths = `${formatPluginPath(failure.pluginFilePath)}${this.#loaderPath.of(failure.pluginLoaderFilePath)}`;
    const descriptor = `${this.#method.of(failure.httpMethod)}${this.#target.of(failure.requestTarget)}`;
    return `${offset}${paths},"line_number":${String(failure.lineNumber)}${descriptor}`;
  }

  #formatDeprecation(deprecation: Deprecation): string {
    const zone = `${this.#timezoneName.of(deprecation.timezoneName)}${this.#runtimeTag.of(deprecation.runtimeTag)}`;
    const path = this.#sessionPath.of(deprecation.sessionFilePath);
    return `${zone}${path},"line_number":${String(deprecation.lineNumber)}`;
  }
}

function formatPlace({ line, source }: FieldPlace): string {
  return `${source === undefined ? '' : `,"source":${source}`},"line":${String(line)}`;
}

const formatPluginPath = formatField('plugin_file_path');

/** A Unix second as ISO 8601 in UTC; null for an unknown second. */
function formatInstant(second: number | undefined, utc: UtcSeconds): string {
  return `,"instant":${second === undefined ? 'null' : `"${utc.format(second)}Z"`}`;
}

/** A formatter for the byte strings of a field: a comma, its name and its value. */
function formatField(name: string): (value: string) => string {
  return (value) => `,${formatJsonField(name, value)}`;
}
