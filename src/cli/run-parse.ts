import { countOf } from '../count-of.js';
import { DataError } from '../errors.js';
import type { Input } from '../input/input.js';
import type { Group } from '../log/open-group.js';
import { inferDeploymentOptions, NoDeploymentError } from '../log/infer-deployment.js';
import type { Counted } from '../log/tally.js';
import type { Log } from '../output/open-log.js';
import { pack } from '../output/pack.js';
import { Scratch } from '../output/scratch.js';
import { writeChunks } from '../output/write-chunks.js';
import { EcsJson } from '../parse/ecs.js';
import { OtelJson } from '../parse/otel.js';
import { RecordJson } from '../parse/record-json.js';
import { RequestRows } from '../parse/request-rows.js';
import { escapeText, quoteBytes } from '../quote.js';
import { findFirstGroup } from '../reading/first-group.js';
import { readLoggedRecords, type LoggedRecord } from '../reading/logged-records.js';
import { readLoggedRequests } from '../reading/logged-requests.js';
import type { ReadLogOptions } from '../reading/read-log.js';
import { LIST_HEADER } from '../requests/format-row.js';
import { say } from './messages.js';
import { openSource } from './open-source.js';
import type { RawParseOptions } from './parse.js';
import { withLog } from './with-log.js';

/** What one run of `parse` works with. */
interface ParseRun {
  readonly input: Input;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly reading: ReadLogOptions;
}

/** What each form of `--as` writes, and what it counts. */
const FORMS: Readonly<
  Record<RawParseOptions['as'], { readonly noun: string; readonly write: (run: ParseRun) => Promise<void> }>
> = {
  requests: { noun: 'row', write: writeRequests },
  records: { noun: 'record', write: (run) => writeRecords(run, new RecordJson()) },
  ecs: { noun: 'record', write: (run) => writeRecords(run, new EcsJson()) },
  otel: { noun: 'record', write: (run) => writeRecords(run, new OtelJson()) },
  deployment: { noun: 'deployment', write: writeDeployment },
};

/**
 * Runs `parse` with argument and options as they were given.
 *
 * @throws the errors that `endWith` knows
 */
export async function runParse(file: string | undefined, raw: RawParseOptions): Promise<void> {
  const { noun, write } = FORMS[raw.as];
  await withLog({
    outputFile: raw.output ?? '-',
    open: (signal) => openSource(file, 'parse', 'log', signal),
    noun,
    work: (input, log, signal) => write({ input, log, signal, reading: readingOf(input, raw) }),
  });
}

function readingOf({ source, hasMore }: Input, raw: RawParseOptions): ReadLogOptions {
  return {
    hasMore,
    ...(raw.foreign === 'stop' && {
      onForeign: (line, text) => {
        const problem = text === '' ? 'the line is no record of this log' : `${quoteBytes(text)} is no record of this log`;
        throw new DataError({ source, line }, problem, 'take it out, or give --foreign skip');
      },
    }),
    onEnd: ({ foreign, incomplete }) => {
      sayPassedOver(source, foreign, 'foreign line', 'the first at line');
      sayPassedOver(source, incomplete, 'incomplete group', 'the first begins at line');
    },
  };
}

/** One line about what was passed over, if anything was, with the lines of the first of it. */
function sayPassedOver(source: string, { count, lines }: Counted, noun: string, where: string): void {
  if (count === 0) return;
  const shown = lines.join(', ');
  say(
    `${escapeText(source)}: ${countOf(count, noun)} passed over (${count === 1 ? where.replace('the first ', '') : where} ${shown})`,
  );
}

async function writeRequests({ input, log, signal, reading }: ParseRun): Promise<void> {
  const rows = new RequestRows();
  const scratch = new Scratch('latin1');
  // A file that holds a list already has its header; a second one would be a bad row.
  const head = log.isContinued ? undefined : Buffer.from(LIST_HEADER);
  const requests = readLoggedRequests(input.chunks, reading);
  const chunks = pack(requests, (request) => scratch.encode(rows.format(request)), input.hasMore, head);
  await writeChunks(chunks, log.output, signal, 'row');
}

/** @param json gives the line of a record; ends in LF */
async function writeRecords(
  { input, log, signal, reading }: ParseRun,
  json: { readonly format: (record: LoggedRecord) => string },
): Promise<void> {
  const scratch = new Scratch('utf8');
  const records = readLoggedRecords(input.chunks, reading);
  const chunks = pack(records, (record) => scratch.encode(json.format(record)), input.hasMore);
  await writeChunks(chunks, log.output, signal, 'record');
}

async function writeDeployment({ input, log, signal, reading }: ParseRun): Promise<void> {
  const group = await findFirstGroup(input.chunks, reading);
  if (group === undefined) {
    throw new DataError({ source: input.source }, 'the log holds no complete group', 'give one that holds a complete group');
  }
  const json = `${JSON.stringify(deploymentOf(group, input.source), null, 2)}\n`;
  await writeChunks(
    pack([[group]], () => Buffer.from(json), input.hasMore),
    log.output,
    signal,
    'deployment',
  );
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
