import { CallError, DataError, type Place } from '../../errors.js';
import type { Input } from '../../input/input.js';
import type { Group } from '../../reading/open-group.js';
import { inferDeploymentOptions, NoDeploymentError } from '../../reading/infer-deployment.js';
import { isRecordWithCr } from '../../log/line.js';
import { placesOf } from '../../reading/tally.js';
import type { Destination } from '../../output/destination.js';
import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { EcsJson } from '../../export/ecs.js';
import { OtelJson } from '../../export/otel.js';
import { RecordJson } from '../../export/record-json.js';
import { RequestRows } from '../../export/request-rows.js';
import { countOf, escapeText, quoteBytes } from '../../wording.js';
import { findFirstGroup } from '../../reading/first-group.js';
import { readLoggedRecords, type LoggedRecord } from '../../reading/logged-records.js';
import { readLoggedRequests } from '../../reading/logged-requests.js';
import type { ReadLogOptions } from '../../reading/read-log.js';
import { LIST_HEADER } from '../../requests/list/format-row.js';
import { say } from '../messages.js';
import { inputFile, openSource } from '../open-source.js';
import type { LogForm, ParseRunOptions } from './options.js';
import { readVersion } from '../version.js';
import { withDestination } from '../with-destination.js';

/** What one run of `parse` works with. */
interface ParseRun {
  readonly input: Input;
  readonly log: Destination;
  /** What `log` was opened as; `-` is standard output. */
  readonly outputFile: string;
  readonly signal: AbortSignal;
  readonly reading: ReadLogOptions;
}

/** Writes a form of `--as`. */
interface FormWriter {
  /** What is written and counted. */
  readonly noun: string;
  /** What becomes of incomplete groups. */
  readonly incomplete: string;
  readonly write: (run: ParseRun) => Promise<void>;
}

const PASSED_OVER = 'passed over';

/** For a log whose line ends have been converted. */
const DROP_CR = "end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …";

const RECORD_FORM = { noun: 'record', incomplete: 'written as records of no group' } as const;

const WRITERS: Readonly<Record<LogForm, FormWriter>> = {
  requests: { noun: 'row', incomplete: PASSED_OVER, write: writeRequests },
  records: { ...RECORD_FORM, write: (run) => writeRecords(run, new RecordJson()) },
  ecs: { ...RECORD_FORM, write: (run) => writeRecords(run, new EcsJson()) },
  otel: { ...RECORD_FORM, write: (run) => writeRecords(run, new OtelJson(readVersion())) },
  deployment: { noun: 'deployment', incomplete: PASSED_OVER, write: writeDeployment },
};

/**
 * Runs `parse`.
 *
 * @param file the log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runParse(file: string | undefined, options: ParseRunOptions): Promise<void> {
  const { form, outputFile, stopAtForeign } = options;
  const { noun, incomplete, write } = WRITERS[form];
  await withDestination({
    outputFile,
    open: (signal) => openSource(file, 'parse', 'log', signal),
    noun,
    readFiles: (input) => [inputFile(input)],
    work: (input, log, signal) => write({ input, log, outputFile, signal, reading: readingOf(input, stopAtForeign, incomplete) }),
  });
}

/** @param whatOfIncomplete what becomes of incomplete groups */
function readingOf({ source, hasMore }: Input, stopAtForeign: boolean, whatOfIncomplete: string): ReadLogOptions {
  return {
    hasMore,
    ...(stopAtForeign && {
      onForeign: (line, text) => {
        throw refuseForeign({ source, line }, text);
      },
    }),
    onEnd: ({ lines, foreign, foreignWithCr, incomplete }) => {
      const name = escapeText(source);
      if (foreign.count > 0) {
        const hint =
          foreignWithCr > 0
            ? `, ${String(foreignWithCr)} of them for a CR at the end; ${DROP_CR}`
            : lines === foreign.count
              ? '; no line is a record, check the file'
              : '';
        say(`${name}: ${countOf(foreign.count, 'foreign line')} ${PASSED_OVER} (${placesOf(foreign)})${hint}`);
      }
      if (incomplete.count > 0) {
        say(`${name}: ${countOf(incomplete.count, 'incomplete group')} ${whatOfIncomplete} (${placesOf(incomplete, 'begin')})`);
      }
    },
  };
}

/** @param text the line; empty for one that is too long to be shown */
function refuseForeign(place: Place, text: string): DataError {
  if (isRecordWithCr(text)) return new DataError(place, 'the record has a CR at its end', DROP_CR);
  const problem = text === '' ? 'the line is no record of this log' : `${quoteBytes(text)} is no record of this log`;
  return new DataError(place, problem, 'take it out, or give --foreign skip');
}

async function writeRequests({ input, log, signal, reading }: ParseRun): Promise<void> {
  const rows = new RequestRows();
  // A file that holds a list already has its header; a second one would be a bad row.
  const head = log.isContinued ? undefined : Buffer.from(LIST_HEADER);
  const requests = readLoggedRequests(input.chunks, reading);
  const pieces = renderTexts(requests, (request) => rows.format(request), 'latin1');
  await writeChunks(pack(pieces, input.hasMore, head), log.output, signal);
}

/** @param json gives the line of a record; ends in LF */
async function writeRecords(
  { input, log, signal, reading }: ParseRun,
  json: { readonly format: (record: LoggedRecord) => string },
): Promise<void> {
  const records = readLoggedRecords(input.chunks, reading);
  const pieces = renderTexts(records, (record) => json.format(record), 'utf8');
  await writeChunks(pack(pieces, input.hasMore), log.output, signal);
}

async function writeDeployment({ input, log, outputFile, signal, reading }: ParseRun): Promise<void> {
  if (log.isContinued && outputFile !== '-') {
    throw new CallError(
      { source: outputFile },
      'it holds something already, and a deployment file is one object',
      'name a new file',
    );
  }
  const group = await findFirstGroup(input.chunks, reading);
  if (group === undefined) {
    throw new DataError({ source: input.source }, 'the log holds no complete group', 'give one that holds a complete group');
  }
  const json = `${JSON.stringify(deploymentOf(group, input.source), null, 2)}\n`;
  const pieces = renderTexts([[group]], () => json, 'utf8');
  await writeChunks(pack(pieces, input.hasMore), log.output, signal);
}

function deploymentOf(group: Group, source: string): ReturnType<typeof inferDeploymentOptions> {
  try {
    return inferDeploymentOptions(group);
  } catch (error) {
    if (!(error instanceof NoDeploymentError)) throw error;
    const problem = `no deployment writes the first complete group: ${error.message}`;
    throw new DataError({ source, line: group.line }, problem, 'see what stands there with --as records', { cause: error });
  }
}
