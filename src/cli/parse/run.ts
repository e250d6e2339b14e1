import type { LogForm } from '../../export/forms.js';
import { renderDocuments } from '../../export/render-documents.js';
import { RequestRowRenderer } from '../../export/request-row.js';
import { CallError, DataError } from '../../errors.js';
import type { Destination } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { renderPieces, renderTexts, type PieceBatches } from '../../output/piece.js';
import {
  describeForeign,
  DROP_CR,
  type ForeignAction,
  isUnusable,
  refuseUnusable,
  SKIPPED,
} from '../../reading/foreign-lines.js';
import { findDeploymentOptions } from '../../reading/infer-log-deployment.js';
import { nameSources, type LinePlaces } from '../../reading/line-places.js';
import type { LogFiles } from '../../reading/log-files.js';
import { readLoggedRequests } from '../../reading/read-logged.js';
import { stopAtForeign } from '../../reading/parse.js';
import type { PassedOver, ReadLogOptions } from '../../reading/read-log.js';
import { placesOf } from '../../reading/tally.js';
import { LIST_HEADER } from '../../requests/list/format-row.js';
import { countOf } from '../../wording.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { openLogs } from '../logs.js';
import { say } from '../messages.js';
import { STDOUT } from '../options/output-file.js';

/** The options of `parse`. */
interface ParseOptions extends OutputOptions {
  /** The form that the log is turned into. */
  readonly as: LogForm;
  readonly foreign: ForeignAction;
}

/**
 * Runs `parse`.
 *
 * @param files the logs; none for standard input
 * @throws the errors that `endWith` handles
 */
export async function runParse(files: readonly string[], options: ParseOptions): Promise<void> {
  const { as: form, foreign } = options;
  const isList = form === 'requests';
  const noun = isList ? 'row' : form === 'deployment' ? form : 'record';
  await runCommand({ ...options, noun }, async (run) => {
    const { log, hasMore, measure, usedFiles } = await openLogs(files, 'parse', run);
    const output = await run.openOutput(usedFiles, measure);
    let unusable: DataError | undefined;
    const incompleteAre = noun === 'record' ? 'written as records of no group' : SKIPPED;
    const reading: ReadLogOptions = {
      hasMore,
      ...(foreign === 'stop' && stopAtForeign(log)),
      onEnd: (passedOver) => {
        unusable = reportSkipped(foreign === 'emit' ? withoutForeign(passedOver) : passedOver, log, incompleteAre);
      },
    };
    if (form === 'deployment') refuseContinued(output, options.output);
    const pieces =
      form === 'deployment'
        ? await renderDeployment(log, reading)
        : isList
          ? renderRequests(log, reading)
          : renderDocuments(log, form, foreign === 'emit', reading);
    // A list that is appended to has its header; a second header would be a bad row.
    const head = isList && !output.isContinued ? Buffer.from(LIST_HEADER) : undefined;
    await writePieces(pieces, output, run.signal, { hasMore, head });
    return unusable;
  });
}

function renderRequests(log: LogFiles, reading: ReadLogOptions): PieceBatches {
  const rows = new RequestRowRenderer();
  return renderPieces(readLoggedRequests(log, reading), (request) => rows.render(request));
}

/** @throws CallError for a file that holds something */
function refuseContinued({ isContinued }: Destination, file = STDOUT): void {
  if (!isContinued || file === STDOUT) return;
  const problem = 'the file is not empty, and a deployment file holds one object';
  throw new CallError({ source: file }, problem, 'name a new file');
}

/** @throws DataError for a log without a complete group */
async function renderDeployment(log: LogFiles, reading: ReadLogOptions): Promise<PieceBatches> {
  const deployment = await findDeploymentOptions(log, 'inspect it with --as records', reading);
  if (deployment === undefined) {
    throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', 'give one that holds a complete group');
  }
  const json = `${JSON.stringify(deployment, null, 2)}\n`;
  return renderTexts([[{}]], () => json, 'utf8');
}

/** The rest of a log whose foreign lines are written. */
function withoutForeign(passedOver: PassedOver): PassedOver {
  const { lines, incomplete } = passedOver;
  return { lines, incomplete, foreign: { count: 0, lines: [] }, foreignWithCr: 0 };
}

/**
 * Reports foreign lines and incomplete groups: how many, and where.
 *
 * @param incompleteAre what has happened to the incomplete groups: `passed over`
 * @returns the error for a log in which no line is a record, which is not reported; undefined for any other log
 */
function reportSkipped(passedOver: PassedOver, places: LinePlaces, incompleteAre: string): DataError | undefined {
  const { foreign, foreignWithCr, incomplete } = passedOver;
  if (isUnusable(passedOver)) return refuseUnusable(passedOver, places);
  const name = nameSources(places);
  if (foreign.count > 0) {
    say(`${name}: ${describeForeign(passedOver, places)}${foreignWithCr > 0 ? `; ${DROP_CR}` : ''}`);
  }
  if (incomplete.count > 0) {
    say(`${name}: ${countOf(incomplete.count, 'incomplete group')} ${incompleteAre} (${placesOf(incomplete, places, 'begin')})`);
  }
  return undefined;
}
