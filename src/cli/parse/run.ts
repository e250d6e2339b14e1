import type { DocumentFormName } from '../../export/document-form.js';
import { renderDocuments } from '../../export/render-documents.js';
import { RequestRowRenderer } from '../../export/request-row.js';
import { CallError, DataError } from '../../errors.js';
import type { Destination } from '../../output/destination.js';
import { pack } from '../../output/pack.js';
import { renderPieces } from '../../output/piece.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { findDeploymentOptions } from '../../reading/infer-log-deployment.js';
import { nameSources } from '../../reading/line-places.js';
import { readLoggedRequests } from '../../reading/logged-requests.js';
import { stopAtForeign } from '../../reading/parse.js';
import type { ReadLogOptions, PassedOver } from '../../reading/read-log.js';
import { SKIPPED } from '../../reading/unusable-log.js';
import { LIST_HEADER } from '../../requests/list/format-row.js';
import { measureRead } from '../measure-read.js';
import { openLogs, type OpenLogs } from '../open-logs.js';
import { STDOUT } from '../options/output-file.js';
import { stoppedIn } from '../stopped-in.js';
import { withDestination } from '../with-destination.js';
import type { LogForm, ParseRunOptions } from './options.js';
import { reportSkipped } from './skip-report.js';

/** Arguments of the functions that write a form. */
interface ParseRun {
  readonly logs: OpenLogs;
  readonly destination: Destination;
  readonly options: ParseRunOptions;
  readonly signal: AbortSignal;
  readonly reading: ReadLogOptions;
}

/** Writes a form of `--as`. */
interface FormWriter {
  /** The noun for what is written and counted, in the singular. */
  readonly noun: string;
  /** The treatment of incomplete groups, for the message that counts them. */
  readonly incompleteAre: string;
  readonly write: (run: ParseRun) => Promise<void>;
}

const RECORD_FORM = { noun: 'record', incompleteAre: 'written as records of no group' } as const;

const WRITERS: Readonly<Record<LogForm, FormWriter>> = {
  requests: { noun: 'row', incompleteAre: SKIPPED, write: writeRequests },
  records: { ...RECORD_FORM, write: (run) => writeDocuments(run, 'records') },
  ecs: { ...RECORD_FORM, write: (run) => writeDocuments(run, 'ecs') },
  otel: { ...RECORD_FORM, write: (run) => writeDocuments(run, 'otel') },
  deployment: { noun: 'deployment', incompleteAre: SKIPPED, write: writeDeployment },
};

/**
 * Runs `parse`.
 *
 * @param files the logs; none for standard input
 * @throws the errors that `endWith` handles
 */
export async function runParse(files: readonly string[], options: ParseRunOptions): Promise<void> {
  const { noun, incompleteAre, write } = WRITERS[options.form];
  await withDestination({
    outputFile: options.outputFile,
    noun,
    quiet: options.quiet,
    open: (signal) => openLogs(files, 'parse', signal),
    measure: measureRead,
    usedFiles: ({ usedFiles }) => usedFiles,
    work: async (logs, destination, signal) => {
      const { log, hasMore } = logs;
      let unusable: DataError | undefined;
      const reading: ReadLogOptions = {
        hasMore,
        ...(options.foreign === 'stop' && stopAtForeign(log)),
        onEnd: (passedOver) => {
          unusable = reportSkipped(options.foreign === 'emit' ? withoutForeign(passedOver) : passedOver, log, incompleteAre);
        },
      };
      try {
        await write({ logs, destination, options, signal, reading });
      } catch (error) {
        throw stoppedIn(error, log);
      }
      return unusable;
    },
  });
}

/** The rest of a log whose foreign lines are written. */
function withoutForeign(passedOver: PassedOver): PassedOver {
  const { lines, incomplete } = passedOver;
  return { lines, incomplete, foreign: { count: 0, lines: [] }, foreignWithCr: 0 };
}

async function writeRequests({ logs, destination, signal, reading }: ParseRun): Promise<void> {
  // A list that is appended to has its header; a second header would be a bad row.
  const head = destination.isContinued ? undefined : Buffer.from(LIST_HEADER);
  const requests = readLoggedRequests(logs.log, reading);
  const rows = new RequestRowRenderer();
  const pieces = renderPieces(requests, (request) => rows.render(request));
  const { output } = destination;
  await writeChunks(pack(pieces, logs.hasMore, head, output.chunkBytes), output, signal);
}

async function writeDocuments({ logs, destination, options, signal, reading }: ParseRun, form: DocumentFormName): Promise<void> {
  const { log, hasMore } = logs;
  const pieces = renderDocuments(log, form, options.foreign === 'emit', reading);
  const { output } = destination;
  await writeChunks(pack(pieces, hasMore, undefined, output.chunkBytes), output, signal);
}

async function writeDeployment({ logs, destination, options, signal, reading }: ParseRun): Promise<void> {
  const { outputFile } = options;
  if (destination.isContinued && outputFile !== STDOUT) {
    const problem = 'it holds something already, and a deployment file is one object';
    throw new CallError({ source: outputFile }, problem, 'name a new file');
  }
  const { log, hasMore } = logs;
  const deployment = await findDeploymentOptions(log, 'see what stands there with --as records', reading);
  if (deployment === undefined) {
    throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', 'give one that holds a complete group');
  }
  const json = `${JSON.stringify(deployment, null, 2)}\n`;
  const pieces = renderTexts([[{}]], () => json, 'utf8');
  await writeChunks(pack(pieces, hasMore), destination.output, signal);
}
