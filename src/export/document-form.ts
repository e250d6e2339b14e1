import type { LoggedLine } from '../reading/logged-record.js';
import type { FieldPlace } from './line-place.js';

/** The forms of `parse --as` that have a document for each record. */
export const DOCUMENT_FORMS = ['records', 'ecs', 'otel'] as const;
/** A form of `parse --as` that has a document for each record: own objects, documents of the Elastic Common Schema, or OTLP/JSON. */
export type DocumentFormName = (typeof DOCUMENT_FORMS)[number];

/** A form of `parse --as` that has a document for each record: the one place that says what a document of that form holds. */
export interface DocumentForm {
  /** The document of a record or a foreign line: text, to be written as UTF-8; ends in LF. */
  format(logged: LoggedLine, place?: FieldPlace): string;
  /** The text by which a document shows a Unix second, as `format` writes it; empty if the document shows none. */
  formatInstant(second: number): string;
}
