import { namesOf, type Kinds } from '../wording.js';
import type { DocumentForm } from './document-form.js';
import { ECS } from './ecs.js';
import { OTEL } from './otel.js';
import { RECORDS } from './record-json.js';

export const DOCUMENTS = {
  records: {
    meaning: 'NDJSON with an object for each record: kind, line, group, instant, and the fields of the specification',
    form: RECORDS,
  },
  ecs: { meaning: 'the records as documents of the Elastic Common Schema, NDJSON', form: ECS },
  otel: {
    meaning: "the records as OTLP/JSON, one log record a line, as the OpenTelemetry collector's otlpjsonfile receiver reads it",
    form: OTEL,
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly form: DocumentForm }>>;

export const LOG_FORMS = {
  requests: { meaning: 'CSV with a row for each group, as replay reads it: timestamp,http_method,request_target' },
  ...DOCUMENTS,
  deployment: { meaning: "the deployment file of the log's own groups" },
} as const satisfies Kinds;

/** A form of `parse --as` with a document for each record: plain records, Elastic Common Schema, or OTLP/JSON. */
export type DocumentFormName = keyof typeof DOCUMENTS;

export const DOCUMENT_FORMS = namesOf(DOCUMENTS);
