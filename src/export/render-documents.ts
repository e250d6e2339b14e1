import { renderPieces, type Piece } from '../output/piece.js';
import { textRenderer } from '../output/render-texts.js';
import type { LogFiles } from '../reading/log-files.js';
import { LoggedLines, stampForeignLines, type TakeGroup } from '../reading/logged-lines.js';
import type { LoggedForeignLine, LoggedLine } from '../reading/logged-record.js';
import { readLog, type ReadLogOptions } from '../reading/read-log.js';
import type { DocumentForm, DocumentFormName } from './document-form.js';
import { EcsJson } from './ecs.js';
import { GroupDocuments, type TemplatedGroup } from './group-documents.js';
import { FieldPlaces } from './line-place.js';
import { OtelJson } from './otel.js';
import { RecordJson } from './record-json.js';
import { VERSION } from './version.js';

const FORMS: Readonly<Record<DocumentFormName, () => DocumentForm>> = {
  records: () => new RecordJson(),
  ecs: () => new EcsJson(),
  otel: () => new OtelJson(VERSION),
};

/**
 * Renders a document for each record of a log: those of a whole group from a template where there is one, any other from its text.
 *
 * @param isForeignGiven true if foreign lines have documents too
 * @throws what `readLog` throws, after the documents before that line
 */
export function renderDocuments(
  log: LogFiles,
  name: DocumentFormName,
  isForeignGiven: boolean,
  reading: ReadLogOptions,
): AsyncGenerator<Iterable<Piece>> {
  const form = FORMS[name]();
  const places = new FieldPlaces(log);
  const documents = new GroupDocuments(form, places);
  const takeGroup: TakeGroup<TemplatedGroup> = (group, number) => documents.find(group, number);
  const foreignOf = isForeignGiven ? stampForeignLines() : undefined;
  const lines = new LoggedLines<LoggedForeignLine, TemplatedGroup>(foreignOf, takeGroup);
  const renderLine = textRenderer<LoggedLine>((logged) => form.format(logged, places.of(logged.line)), 'utf8');
  return renderPieces(
    readLog(log, lines.take, reading),
    (part) => ('template' in part ? part.template.render(part.values) : renderLine(part)),
    (part) => ('template' in part ? part.recordCount : 1),
  );
}
