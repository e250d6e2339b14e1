import { requireOneOf, requireOptions, type OptionChecks } from '../arguments.js';
import { pack } from '../output/pack.js';
import type { LogBytes } from '../reading/log-files.js';
import { FOREIGN_CHECKS, readAsParse, type ForeignOptions } from '../reading/parse.js';
import { DOCUMENT_FORMS, type DocumentFormName } from './document-form.js';
import { renderDocuments } from './render-documents.js';

/** Options of `exportRecords`: those of the command `parse`. */
export interface ExportOptions extends ForeignOptions {
  /** The form of a document: `records` (the default), `ecs` or `otel`. */
  readonly as?: DocumentFormName;
}

/** The options of `exportRecords`, each with its check. */
const EXPORT_OPTIONS: OptionChecks<keyof ExportOptions> = {
  as: (value, name) => {
    requireOneOf(value, name, DOCUMENT_FORMS);
  },
  ...FOREIGN_CHECKS,
};

/**
 * Exports the records of a log as `parse --as records`, `ecs` or `otel` does: gives NDJSON (UTF-8) in buffers of whole documents of at
 * most 65,536 bytes; a larger document, and the documents of a large group, are a buffer of their own. Every buffer ends in LF and may be kept.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError for an unknown option, for a value of a wrong type, and for a log that is neither
 * @throws DataError as `parse` does, after the documents of what came before
 */
export async function* exportRecords(log: LogBytes, options: ExportOptions = {}): AsyncGenerator<Buffer> {
  requireOptions(options, 'options', EXPORT_OPTIONS);
  const { as = 'records', foreign } = options;
  const pieces = readAsParse(log, options, (files, reading) => renderDocuments(files, as, foreign === 'emit', reading));
  for await (const chunk of pack(pieces, () => false)) yield Buffer.from(chunk.bytes);
}
