/** The forms of `parse --as` that have a document for each record. */
export const DOCUMENT_FORMS = ['records', 'ecs', 'otel'] as const;

/** A form of `parse --as` that has a document for each record: own objects, documents of the Elastic Common Schema, or OTLP/JSON. */
export type DocumentFormName = (typeof DOCUMENT_FORMS)[number];

/** The forms of `parse --as`: all that a log is turned into. */
export const LOG_FORMS = ['requests', ...DOCUMENT_FORMS, 'deployment'] as const;

/** A form of `parse --as`. */
export type LogForm = (typeof LOG_FORMS)[number];
