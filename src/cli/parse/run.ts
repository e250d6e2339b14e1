import { EcsJson } from '../../export/ecs.js';
import { OtelJson } from '../../export/otel.js';
import { RecordJson } from '../../export/record-json.js';
import { formatRequestRow } from '../../export/request-row.js';
import { CallError, DataError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import type { Destination } from '../../output/destination.js';
import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { findFirstGroup } from '../../reading/first-group.js';
import { inferDeploymentOptions, NoDeploymentError } from '../../reading/infer-deployment.js';
import { readLoggedRecords, type LoggedRecord } from '../../reading/logged-records.js';
import { readLoggedRequests } from '../../reading/logged-requests.js';
import type { Group } from '../../reading/group.js';
import type { ReadLogOptions } from '../../reading/read-log.js';
import { LIST_HEADER } from '../../requests/list/format-row.js';
import { inputFile, openSource } from '../open-source.js';
import { STDOUT } from '../options/output-file.js';
import { readVersion } from '../version.js';
import { withDestination } from '../with-destination.js';
import type { LogForm, ParseRunOptions } from './options.js';
import { refuseForeign, reportSkipped, SKIPPED } from './skip-report.js';

/** Arguments of the functions that write a form. */
interface ParseRun {
  readonly input: Input;
  readonly destination: Destination;
  /** The name of the destination, or `STDOUT`. */
  readonly outputFile: string;
  readonly signal: AbortSignal;
  readonly reading: ReadLogOptions;
}

/** Writes a form of `--as`. */
interface FormWriter {
  /** What is written and counted, in the singular. */
  readonly noun: string;
  /** What happens to incomplete groups, for the message that counts them. */
  readonly incompleteAre: string;
  readonly write: (run: ParseRun) => Promise<void>;
}

const RECORD_FORM = { noun: 'record', incompleteAre: 'written as records of no group' } as const;

const WRITERS: Readonly<Record<LogForm, FormWriter>> = {
  requests: { noun: 'row', incompleteAre: SKIPPED, write: writeRequests },
  records: { ...RECORD_FORM, write: (run) => writeRecords(run, new RecordJson()) },
  ecs: { ...RECORD_FORM, write: (run) => writeRecords(run, new EcsJson()) },
  otel: { ...RECORD_FORM, write: (run) => writeRecords(run, new OtelJson(readVersion())) },
  deployment: { noun: 'deployment', incompleteAre: SKIPPED, write: writeDeployment },
};

/**
 * Runs `parse`.
 *
 * @param file the log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runParse(file: string | undefined, options: ParseRunOptions): Promise<void> {
  const { form, outputFile, stopAtForeign } = options;
  const { noun, incompleteAre, write } = WRITERS[form];
  await withDestination({
    outputFile,
    noun,
    open: (signal) => openSource(file, 'parse', 'log', signal),
    readFiles: (input) => [inputFile(input)],
    work: (input, destination, signal) => {
      const { source, hasMore } = input;
      const reading: ReadLogOptions = {
        hasMore,
        ...(stopAtForeign && {
          onForeign: (line, text) => {
            throw refuseForeign({ source, line }, text);
          },
        }),
        onEnd: (remainder) => {
          reportSkipped(remainder, source, incompleteAre);
        },
      };
      return write({ input, destination, outputFile, signal, reading });
    },
  });
}

async function writeRequests({ input, destination, signal, reading }: ParseRun): Promise<void> {
  // A list that is appended to has its header; a second header would be a bad row.
  const head = destination.isContinued ? undefined : Buffer.from(LIST_HEADER);
  const requests = readLoggedRequests(input.chunks, reading);
  const pieces = renderTexts(requests, formatRequestRow, 'latin1');
  await writeChunks(pack(pieces, input.hasMore, head), destination.output, signal);
}

/** @param json formats a record as a line that ends in LF */
async function writeRecords(
  { input, destination, signal, reading }: ParseRun,
  json: { readonly format: (record: LoggedRecord) => string },
): Promise<void> {
  const records = readLoggedRecords(input.chunks, reading);
  const pieces = renderTexts(records, (record) => json.format(record), 'utf8');
  await writeChunks(pack(pieces, input.hasMore), destination.output, signal);
}

async function writeDeployment({ input, destination, outputFile, signal, reading }: ParseRun): Promise<void> {
  if (destination.isContinued && outputFile !== STDOUT) {
    const problem = 'it holds something already, and a deployment file is one object';
    throw new CallError({ source: outputFile }, problem, 'name a new file');
  }
  const group = await findFirstGroup(input.chunks, reading);
  if (group === undefined) {
    throw new DataError({ source: input.source }, 'the log holds no complete group', 'give one that holds a complete group');
  }
  const json = `${JSON.stringify(deploymentOf(group, input.source), null, 2)}\n`;
  const pieces = renderTexts([[group]], () => json, 'utf8');
  await writeChunks(pack(pieces, input.hasMore), destination.output, signal);
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
