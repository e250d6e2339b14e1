/** The forms of `parse --as` with a document for each record. */
export const DOCUMENT_FORMS = ['records', 'ecs', 'otel'] as const;

/** A form of `parse --as` with a document for each record: plain records, Elastic Common Schema, or OTLP/JSON. */
export type DocumentFormName = (typeof DOCUMENT_FORMS)[number];

/** All forms of `parse --as`. */
export const LOG_FORMS = ['requests', ...DOCUMENT_FORMS, 'deployment'] as const;

/** A form of `parse --as`. */
export type LogForm = (typeof LOG_FORMS)[number];
