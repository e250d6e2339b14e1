import { formatUtcSecond } from './instant-second.js';
import type { LogRecord } from '../log/line.js';

/** The fields of records that can be compared, by the names that `parse --as records` gives them (2.1, 2.2). */
export const FIELD_NAMES = [
  'kind',
  'instant',
  'timestamp',
  'utc_offset',
  'timezone_name',
  'runtime_tag',
  'plugin_file_path',
  'plugin_loader_file_path',
  'session_file_path',
  'line_number',
  'http_method',
  'request_target',
] as const;

/** The name of a field of a record, as `parse --as records` names it. */
export type FieldName = (typeof FIELD_NAMES)[number];

/**
 * The value of a field, a byte string; empty where records of that kind have no such field, and for an instant that is not known.
 *
 * @param second the Unix second that the record names, where it is known
 */
export function fieldOf(record: LogRecord, name: FieldName, second: number | undefined): string {
  switch (name) {
    case 'kind':
      return record.kind;
    case 'instant':
      return second === undefined ? '' : formatUtcSecond(second);
    case 'timestamp':
      return record.timestamp;
    case 'runtime_tag':
      return record.runtimeTag;
    case 'line_number':
      return String(record.lineNumber);
    case 'timezone_name':
      return record.kind === 'deprecation' ? record.timezoneName : '';
    case 'session_file_path':
      return record.kind === 'deprecation' ? record.sessionFilePath : '';
    case 'utc_offset':
      return record.kind === 'load_failure' ? record.utcOffset : '';
    case 'plugin_file_path':
      return record.kind === 'load_failure' ? record.pluginFilePath : '';
    case 'plugin_loader_file_path':
      return record.kind === 'load_failure' ? record.pluginLoaderFilePath : '';
    case 'http_method':
      return record.kind === 'load_failure' ? record.httpMethod : '';
    case 'request_target':
      return record.kind === 'load_failure' ? record.requestTarget : '';
  }
}
