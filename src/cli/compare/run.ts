import { setTimeout } from 'node:timers/promises';
import { compareLogs } from '../../compare/compare-logs.js';
import { describePassedOver, type ComparisonFinding, type ComparisonSummary, type FormMismatch } from '../../compare/findings.js';
import { followLogs } from '../../compare/follow-logs.js';
import { comparisonOf, type ComparedSource, type CompareOptions } from '../../compare/options.js';
import { DataError, formatPlace, type CallError } from '../../errors.js';
import { formatJsonFinding, formatJsonSummary, formatTextFinding, formatTextSummary } from '../../findings/delivery.js';
import { RESOLUTION_MS, type Follower } from '../../input/follower.js';
import type { Input } from '../../input/input.js';
import { recordOn } from '../../input/log-lines.js';
import type { Destination } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { countOf } from '../../wording.js';
import { runCommand, type CommandRun } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import {
  countTruncations,
  followInput,
  formatFollowed,
  formatWait,
  refuseUnseen,
  sayWaitedFor,
  truncationSayer,
  usedFilesOf,
} from '../followed-inputs.js';
import { measureRead, openSource, refuseSameTwice, refuseSecondStdin, refuseTerminal, STDIN } from '../inputs.js';
import { say } from '../messages.js';
import { runOf, type Given } from '../options/option.js';
import { renderReport } from '../render-report.js';
import { sayMismatch } from '../say-mismatch.js';
import { COMMAND } from './command.js';

type Options = Given<typeof COMMAND.options>;

export const RUN = runOf(COMMAND, async ({ expected, received }, options) => {
  const names = received.length === 0 ? [STDIN] : received;
  refuseSecondStdin([expected, ...names], 'name the log that was sent');
  refuseSameTwice(received);
  if (received.length === 0) refuseTerminal('compare', 'received input');
  // Options that contradict each other are refused before anything is opened.
  comparisonOf(options);
  const { field, fields, kind, lossy, envelope, allow, max, wait } = options;
  const sources = names.map((name) => (name === STDIN ? '<stdin>' : name));
  const onMismatch = (mismatch: FormMismatch): void => {
    sayMismatch(mismatch, sources, field);
  };
  const compared = { field, fields, kind, lossy, envelope, allow, max, onMismatch };
  await runCommand({ ...options, noun: 'finding', onSignal: wait === undefined ? 'stop' : 'report' }, (run) =>
    wait === undefined
      ? compareInputs([expected, ...names], options, compared, run)
      : compareGrowing(expected, names, options, compared, wait, run),
  );
});

async function compareInputs(
  names: readonly string[],
  options: Options,
  compared: CompareOptions,
  run: CommandRun,
): Promise<DataError | undefined> {
  const inputs: Input[] = [];
  for (const name of names) inputs.push(await openSource(name, run));
  const output = await run.openOutput(() => measureRead(inputs));
  const faults: DataError[] = [];
  const [sent, ...delivered] = inputs.map((input) => readToFault(input, faults));
  if (sent === undefined) return undefined;
  let summary: ComparisonSummary | undefined;
  const findings = compareLogs(sent, delivered, { ...compared, onEnd: (end) => (summary = end) });
  const unusable = await writeReport({ findings, summary: () => summary, sent }, options, output, run.signal);
  return faults[0] ?? unusable;
}

/** An input as the comparison reads it. A fault of the data ends its bytes, and is kept: what came before is compared. */
function readToFault({ source, blocks, readAt }: Input, faults: DataError[]): ComparedSource {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* blocks;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      faults.push(error);
    }
  };
  return { source, chunks: chunks(), ...(readAt !== undefined && { readAt }) };
}

/** Compares logs that grow. A signal ends the following, and the report is written. */
async function compareGrowing(
  expected: string,
  received: readonly string[],
  options: Options,
  compared: CompareOptions,
  waitMs: number,
  run: CommandRun,
): Promise<CallError | DataError | undefined> {
  const sent = followInput(expected);
  const delivered = received.map((name) => followInput(name));
  const inputs = [sent, ...delivered];
  const { signal } = run;
  // A signal ends the waiting, and so does the time: the loop of `followLogs` asks which it was.
  const sleep = (delayMs: number): Promise<void> => setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
  const clock = { now: () => performance.now(), sleep };
  let summary: ComparisonSummary | undefined;
  const onEnd = (end: ComparisonSummary): void => void (summary = end);
  const following = followLogs(sent, delivered, { ...compared, onEnd, clock, waitMs, resolutionMs: RESOLUTION_MS, signal });
  run.usedFiles.push(...usedFilesOf([expected, ...received], [options.output]));
  const output = await run.openOutput(() => formatFollowed(following.progress()));
  sayWaitedFor(inputs);
  try {
    const more = (): Record<string, number> => ({ truncations: countTruncations(inputs) });
    const reported = { findings: following.findings, summary: () => summary, sent, more };
    const unusable = await writeReport(reported, options, output, new AbortController().signal);
    truncationSayer(inputs)();
    signal.throwIfAborted();
    const within = `within ${formatWait(waitMs)}`;
    for (const input of delivered) if (!input.hasAppeared) say(refuseUnseen(input, within).message);
    if (!sent.hasAppeared) return refuseUnseen(sent, within);
    if (!following.hasGrown()) say(`nothing new came ${within}; compared what the files held`);
    return unusable;
  } finally {
    for (const input of inputs) input.close();
  }
}

/** A comparison that is reported. */
interface ReportedComparison {
  readonly findings: AsyncIterable<readonly ComparisonFinding[]>;
  /** The numbers, once all findings have been taken. */
  readonly summary: () => ComparisonSummary | undefined;
  readonly sent: Pick<ComparedSource, 'source'> & Partial<Pick<Follower, 'hasAppeared'>>;
  /** Further numbers of the summary for machines, by their names. */
  readonly more?: () => Readonly<Record<string, number>>;
}

/**
 * Writes the report of a comparison, and sets the exit code where something was found. Returns the fault of an expected log that has
 * lines but no records to compare.
 */
async function writeReport(
  { findings, summary, sent, more = () => ({}) }: ReportedComparison,
  { json, kind }: Options,
  output: Destination,
  signal: AbortSignal,
): Promise<DataError | undefined> {
  const expectedSource = sent.source;
  let ofOtherKind: string | undefined;
  const format = (finding: ComparisonFinding): string => {
    if (kind !== undefined && finding.kind === 'foreign' && (recordOn(finding.text)?.kind ?? kind) !== kind)
      ofOtherKind ??= finding.source;
    return json === true ? formatJsonFinding(finding) : formatTextFinding(finding, expectedSource);
  };
  const report = renderReport(findings, format, () => {
    const end = summary();
    return (
      end && (json === true ? formatJsonSummary(end, more()) : formatTextSummary(end, expectedSource, describePassedOver(end)))
    );
  });
  await writePieces(report, output, signal);
  const end = summary();
  if (end === undefined) return undefined;
  const { counts, recordsSent, expectedPassedOver, opened } = end;
  for (const { source, envelope } of opened) say(`${formatPlace({ source })}: in ${envelope} envelopes; compared what is inside`);
  if (ofOtherKind !== undefined)
    say(`${formatPlace({ source: ofOtherKind })}: has records of another kind than --kind; --allow foreign accepts them`);
  if (counts.total > 0) endWithFindings();
  if (recordsSent > 0) return undefined;
  if (expectedPassedOver === 0) {
    if (sent.hasAppeared !== false)
      say(`${formatPlace({ source: expectedSource })}: is empty; check that it is the log that was sent`);
    return undefined;
  }
  const problem = `none of its ${countOf(expectedPassedOver, 'line')} is a record to compare`;
  return new DataError({ source: expectedSource }, problem, 'check that it is the log that was sent, and --kind');
}
