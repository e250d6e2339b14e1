import { renderDocuments } from '../../export/render-documents.js';
import { DOCUMENT_FORMS } from '../../export/forms.js';
import { RequestRowRenderer } from '../../export/request-row.js';
import { CallError, DataError, refuseOption } from '../../errors.js';
import { writePieces } from '../../output/pack.js';
import { renderPieces, type PieceBatches } from '../../output/piece.js';
import { findDeploymentOptions } from '../../reading/inferred-groups.js';
import { nameSources, placesOf, type LinePlaces } from '../../reading/line-places.js';
import type { LogFiles } from '../../reading/log-files.js';
import type { ReadLogOptions } from '../../reading/log-reader.js';
import { readLoggedRequests, stopAtForeign } from '../../reading/parse.js';
import {
  describeForeign,
  DROP_CR,
  isUnusable,
  refuseRowless,
  refuseUnusable,
  SKIPPED,
  type PassedOver,
} from '../../reading/passed-over.js';
import { LIST_HEADER } from '../../requests/list/format-row.js';
import { countOf } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { openLogs } from '../logs.js';
import { say } from '../messages.js';
import type { Given, RunOf } from '../options/option.js';
import { STDOUT } from '../options/values.js';
import type { COMMAND } from './command.js';

type ParseOptions = Given<typeof COMMAND.options>;

/** The forms in which a foreign line has a place, for a message. */
const ANY_DOCUMENT_FORM = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(DOCUMENT_FORMS);

export const RUN: RunOf<typeof COMMAND> = async ({ log: files }, options) => {
  const { as: form, foreign, output: file = STDOUT } = options;
  if (foreign === 'emit' && (form === 'requests' || form === 'deployment'))
    throw refuseOption('foreign', foreign, `cannot be combined with --as ${form}`, `give --as ${ANY_DOCUMENT_FORM}`);
  const noun = form === 'requests' ? 'row' : form === 'deployment' ? form : 'record';
  await runCommand({ ...options, noun }, async (run) => {
    const { log, hasMore, measure } = await openLogs(files, 'parse', run, options);
    const output = await run.openOutput(measure);
    if (form === 'deployment' && output.isContinued && file !== STDOUT) {
      const problem = 'the file is not empty, and a deployment file holds one object';
      throw new CallError({ source: file }, problem, 'name a new file');
    }
    let unusable: DataError | undefined;
    const reading: ReadLogOptions = {
      hasMore,
      ...(foreign === 'stop' && stopAtForeign(log)),
      onEnd: (passedOver) => {
        unusable = reportSkipped(passedOver, log, options);
        if (form === 'deployment' && unusable !== undefined) throw unusable;
      },
    };
    // A list that is appended to has its header; a second header would be a bad row.
    const head = form === 'requests' && !output.isContinued ? Buffer.from(LIST_HEADER) : undefined;
    await writePieces(await render(log, options, reading), output, run.signal, { hasMore, head });
    return unusable;
  });
};

/** @throws DataError for a deployment of a log without a complete group */
async function render(log: LogFiles, { as: form, foreign }: ParseOptions, reading: ReadLogOptions): Promise<PieceBatches> {
  if (form === 'requests') {
    const rows = new RequestRowRenderer();
    return renderPieces(readLoggedRequests(log, reading), (request) => rows.render(request));
  }
  if (form !== 'deployment') return renderDocuments(log, form, foreign === 'emit', reading);
  // A pause does not end the search: more of the log comes.
  const options = { ...reading, hasMore: () => true };
  const { options: deployment } = await findDeploymentOptions(log, 'inspect it with --as records', options);
  if (deployment === undefined)
    throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', 'inspect it with --as records');
  return [[{ bytes: Buffer.from(`${JSON.stringify(deployment, null, 2)}\n`), count: 1, origin: {} }]];
}

/** Reports foreign lines that are not written, and incomplete groups. Returns the error for a log without a record, or without a row. */
function reportSkipped(passedOver: PassedOver, places: LinePlaces, options: ParseOptions): DataError | undefined {
  const { foreign, foreignWithCr, incomplete } = passedOver;
  const name = nameSources(places);
  if (options.foreign !== 'emit') {
    if (isUnusable(passedOver)) return refuseUnusable(passedOver, places);
    if (foreign.count > 0) say(`${name}: ${describeForeign(passedOver, places)}${foreignWithCr > 0 ? `; ${DROP_CR}` : ''}`);
  }
  const rowless = options.as === 'requests' ? refuseRowless(passedOver, places) : undefined;
  if (rowless !== undefined) return rowless;
  if (incomplete.count > 0) {
    const isSkipped = options.as === 'requests' || options.as === 'deployment';
    const groups = `${countOf(incomplete.count, 'incomplete group')} ${isSkipped ? SKIPPED : 'written as records of no group'}`;
    say(`${name}: ${groups} (${placesOf(incomplete, places, 'begin')})`);
  }
  return undefined;
}
