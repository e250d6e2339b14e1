import { requireOneOf, requireOptions, type OptionChecks } from '../arguments.js';
import { buffersOf } from '../output/pack.js';
import { renderPieces, textRenderer, type Piece } from '../output/piece.js';
import { logFilesOf, type LogBytes, type LogFiles } from '../reading/log-files.js';
import { type LoggedForeignLine, type LoggedLine, LoggedLines, stampForeignLines } from '../reading/logged-lines.js';
import type { ReadLogOptions } from '../reading/log-reader.js';
import { FOREIGN_CHECKS, readingAsParse, readLines, type ForeignOptions } from '../reading/parse.js';
import { placesIn } from './document-form.js';
import { DOCUMENT_FORMS, DOCUMENTS, type DocumentFormName } from './forms.js';
import { GroupDocuments, type TemplatedGroup } from './group-documents.js';

/** The documents of a whole group are one piece if it has a template. @param isForeignGiven true if foreign lines get documents too */
export function renderDocuments(
  log: LogFiles,
  name: DocumentFormName,
  isForeignGiven: boolean,
  reading: ReadLogOptions,
): AsyncGenerator<Iterable<Piece>> {
  const { form } = DOCUMENTS[name];
  const placeOf = placesIn(log);
  const documents = new GroupDocuments(form, placeOf);
  const foreignOf = isForeignGiven ? stampForeignLines() : undefined;
  const lines = new LoggedLines<LoggedForeignLine, TemplatedGroup>(foreignOf, (group, number) => documents.find(group, number));
  const renderLine = textRenderer<LoggedLine>((logged) => form.format(logged, placeOf(logged.line)), 'utf8');
  return renderPieces(
    readLines(log, lines, reading),
    (part) => ('template' in part ? part.template.render(part.values) : renderLine(part)),
    (part) => ('template' in part ? part.recordCount : 1),
  );
}

/** Options of `exportRecords`: those of the command `parse`. */
export interface ExportOptions extends ForeignOptions {
  /** The form of a document: `records` (the default), `ecs` or `otel`. */
  readonly as?: DocumentFormName;
}

const EXPORT_OPTIONS: OptionChecks<keyof ExportOptions> = { as: requireOneOf(DOCUMENT_FORMS), ...FOREIGN_CHECKS };

/**
 * Exports the records of a log as `parse --as records`, `ecs` or `otel` does. Gives NDJSON (UTF-8) in buffers of whole documents, of at most
 * 65,536 bytes. A larger document has its own buffer, and so do the documents of a large group. Every buffer ends in LF and may be kept.
 * @param log the bytes of the log, cut anywhere (such as a Node stream), or its files
 * @throws TypeError for an unknown option, for a value of a wrong type, and for a log that is neither
 * @throws DataError as `parse` does, after the documents of earlier lines
 */
export async function* exportRecords(log: LogBytes, options: ExportOptions = {}): AsyncGenerator<Buffer> {
  requireOptions(options, 'options', EXPORT_OPTIONS);
  const { as = 'records', foreign } = options;
  const files = logFilesOf(log);
  const pieces = renderDocuments(files, as, foreign === 'emit', readingAsParse(files, options));
  yield* buffersOf(pieces, false);
}
