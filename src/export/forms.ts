import { namesOf, type Kinds } from '../wording.js';
import type { DocumentForm } from './document-form.js';
import { EcsJson } from './ecs.js';
import { OtelJson } from './otel.js';
import { RecordJson } from './record-json.js';

const DOCUMENTS = {
  records: {
    meaning: 'NDJSON with an object for each record: kind, line, group, instant, and the fields of the specification',
    create: (): DocumentForm => new RecordJson(),
  },
  ecs: {
    meaning: 'the records as documents of the Elastic Common Schema, NDJSON',
    create: (): DocumentForm => new EcsJson(),
  },
  otel: {
    meaning: "the records as OTLP/JSON, one log record a line, as the OpenTelemetry collector's otlpjsonfile receiver reads it",
    create: (): DocumentForm => new OtelJson(),
  },
} as const;

/** The forms of `parse --as`. */
export const LOG_FORMS = {
  requests: {
    meaning: 'CSV with a row for each group, as replay reads it: timestamp,http_method,request_target',
  },
  ...DOCUMENTS,
  deployment: { meaning: "the deployment file of the log's own groups" },
} as const satisfies Kinds;

/** A form of `parse --as` with a document for each record: plain records, Elastic Common Schema, or OTLP/JSON. */
export type DocumentFormName = keyof typeof DOCUMENTS;

export const DOCUMENT_FORMS = namesOf(DOCUMENTS);

export function createDocumentForm(name: DocumentFormName): DocumentForm {
  return DOCUMENTS[name].create();
}
