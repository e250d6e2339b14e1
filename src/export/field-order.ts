import { FIELDS_OF, type FieldName, type RecordKind } from '../log/fields.js';

/** The fields that have names in ECS and OTLP: all but the timestamp, whose instant every document shows. */
export type ExportedField = Exclude<FieldName, 'timestamp'>;

/** The first fields of a document; the others follow in the order of the specification. */
const FIRST = [
  'plugin_loader_file_path',
  'session_file_path',
  'line_number',
  'plugin_file_path',
  'http_method',
  'request_target',
] as const;

/** The exported fields of a kind of record, in their order in a document. */
export function exportedFieldsOf(kind: RecordKind): readonly ExportedField[] {
  const names = FIELDS_OF[kind].filter((name) => name !== 'timestamp');
  return [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => FIRST.every((first) => first !== name))];
}
