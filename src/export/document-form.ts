import type { LoggedLine } from '../reading/logged-record.js';
import type { FieldPlace } from './line-place.js';

/** A form of `parse --as` that has a document for each record: the one place that says what a document of that form holds. */
export interface DocumentForm {
  /** The document of a record or a foreign line: text, to be written as UTF-8; ends in LF. */
  format(logged: LoggedLine, place?: FieldPlace): string;
  /** The text by which a document shows a Unix second, as `format` writes it; empty if the document shows none. */
  formatInstant(second: number): string;
}
