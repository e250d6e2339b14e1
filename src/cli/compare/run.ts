import { setTimeout } from 'node:timers/promises';
import { compareLogs } from '../../compare/compare-logs.js';
import { describePassedOver, type ComparisonFinding, type ComparisonSummary } from '../../compare/findings.js';
import { followLogs } from '../../compare/follow-logs.js';
import { comparisonOf, type ComparedSource, type CompareOptions } from '../../compare/options.js';
import { DataError, formatPlace } from '../../errors.js';
import { formatJsonFinding, formatJsonSummary, formatTextFinding, formatTextSummary } from '../../findings/delivery.js';
import { RESOLUTION_MS } from '../../input/follower.js';
import type { Input } from '../../input/input.js';
import { recordOn } from '../../input/log-lines.js';
import type { Destination } from '../../output/destination.js';
import { countOf, formatCount } from '../../wording.js';
import { runCommand, type CommandRun } from '../command-run.js';
import { describeMismatch } from '../describe-mismatch.js';
import { followInput, formatOutstanding, formatWait, refuseUnseen, sayTruncations, sayWaitedFor } from '../followed-inputs.js';
import { measureRead, openSource, refuseSameTwice, refuseSecondStdin, refuseTerminal, STDIN } from '../inputs.js';
import { say } from '../messages.js';
import type { Given, RunOf } from '../options/option.js';
import { writeReport } from '../write-report.js';
import type { COMMAND } from './command.js';

type Options = Given<typeof COMMAND.options>;

export const RUN: RunOf<typeof COMMAND> = async ({ expected, received }, options) => {
  const { wait } = options;
  const names = received.length === 0 ? [STDIN] : received;
  refuseSecondStdin([expected, ...names], 'name the log that was sent');
  refuseSameTwice(received);
  if (received.length === 0) refuseTerminal('compare', 'received input');
  // Options that contradict each other are refused before anything is opened.
  comparisonOf(options);
  await runCommand({ ...options, noun: 'finding', onSignal: wait === undefined ? 'stop' : 'report' }, (run) =>
    wait === undefined ? compareInputs(expected, names, options, run) : compareGrowing(expected, names, options, wait, run),
  );
};

async function compareInputs(expected: string, received: readonly string[], options: Options, run: CommandRun) {
  const inputs: Input[] = [];
  const faults: DataError[] = [];
  const open = async (name: string): Promise<ComparedSource> => {
    const input = await openSource(name, run);
    inputs.push(input);
    return { source: input.source, chunks: readToFault(input, faults), ...(input.readAt && { readAt: input.readAt }) };
  };
  const sent = await open(expected);
  const delivered: ComparedSource[] = [];
  for (const name of received) delivered.push(await open(name));
  const output = await run.openOutput(() => measureRead(inputs));
  const report = reportOn(sent, delivered, options);
  const unusable = await report.write(compareLogs(sent, delivered, report.compared), output, run.signal);
  return faults[0] ?? unusable;
}

/** Reads an input. A fault of the data ends its bytes, and is kept: what came before is compared. */
async function* readToFault({ blocks }: Input, faults: DataError[]): AsyncGenerator<Uint8Array> {
  try {
    yield* blocks;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    faults.push(error);
  }
}

/** Compares logs that grow. A signal ends the following, and the report is written. */
async function compareGrowing(
  expected: string,
  received: readonly string[],
  options: Options,
  waitMs: number,
  run: CommandRun,
): Promise<Error | undefined> {
  const { signal } = run;
  const follow = (name: string) => followInput(name, 'start', run, [options.output]);
  const sent = follow(expected);
  const delivered = received.map(follow);
  const inputs = [sent, ...delivered];
  // A signal ends the waiting, and so does the time: the loop of `followLogs` asks which it was.
  const sleep = (delayMs: number): Promise<void> => setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
  const clock = { now: () => performance.now(), sleep };
  const report = reportOn(sent, delivered, options);
  const settings = { ...report.compared, clock, waitMs, resolutionMs: RESOLUTION_MS, signal };
  const { findings, progress, hasGrown } = followLogs(sent, delivered, settings);
  const output = await run.openOutput(() => {
    const now = progress();
    return [`${formatCount(now.sent)} sent`, `${formatCount(now.delivered)} delivered`, formatOutstanding(now)];
  });
  sayWaitedFor(inputs);
  const more = () => ({ truncations: inputs.reduce((sum, { truncations }) => sum + truncations, 0) });
  const unusable = await report.write(findings, output, new AbortController().signal, more);
  sayTruncations(inputs);
  signal.throwIfAborted();
  const within = `within ${formatWait(waitMs)}`;
  for (const input of delivered) if (!input.hasAppeared) say(refuseUnseen(input, within).message);
  if (!sent.hasAppeared) return refuseUnseen(sent, within);
  if (!hasGrown()) say(`nothing new came ${within}; compared what the files held`);
  return unusable;
}

interface ComparedInput {
  readonly source: string;
  /** Left out for one that is not followed. */
  readonly hasAppeared?: boolean;
}

/** Makes the report of a comparison, which takes the options `compared`. */
function reportOn(sent: ComparedInput, received: readonly ComparedInput[], options: Options) {
  const { field, fields, kind, lossy, envelope, allow, max, json } = options;
  const { source } = sent;
  let end: ComparisonSummary | undefined;
  let ofOtherKind: string | undefined;
  const onMismatch: CompareOptions['onMismatch'] = (mismatch) => {
    const sources = received.map((input) => input.source);
    say(describeMismatch(mismatch, sources, field));
  };
  const onEnd = (summary: ComparisonSummary): void => void (end = summary);
  const format = (finding: ComparisonFinding): string => {
    if (kind !== undefined && finding.kind === 'foreign' && (recordOn(finding.text)?.kind ?? kind) !== kind)
      ofOtherKind ??= finding.source;
    return json === true ? formatJsonFinding(finding) : formatTextFinding(finding, source);
  };
  /** Writes it. @param more further numbers for machines @returns the fault of an expected log that has lines but no records to compare */
  const write = async (
    findings: AsyncIterable<readonly ComparisonFinding[]>,
    output: Destination,
    signal: AbortSignal,
    more?: () => Readonly<Record<string, number>>,
  ): Promise<DataError | undefined> => {
    const summarize = () => {
      if (end === undefined) return undefined;
      const text = json === true ? formatJsonSummary(end, more?.()) : formatTextSummary(end, source, describePassedOver(end));
      return { text, total: end.counts.total };
    };
    await writeReport({ findings, format, summarize }, output, signal);
    const { opened = [], recordsSent = 0, expectedPassedOver = 0 } = end ?? {};
    for (const input of opened) say(`${formatPlace(input)}: in ${input.envelope} envelopes; compared what is inside`);
    if (ofOtherKind !== undefined)
      say(`${formatPlace({ source: ofOtherKind })}: has records of another kind than --kind; --allow foreign accepts them`);
    if (recordsSent > 0) return undefined;
    if (expectedPassedOver > 0) {
      const problem = `none of its ${countOf(expectedPassedOver, 'line')} is a record to compare`;
      return new DataError({ source }, problem, 'check that it is the log that was sent, and --kind');
    }
    if (sent.hasAppeared !== false) say(`${formatPlace({ source })}: is empty; check that it is the log that was sent`);
    return undefined;
  };
  return { compared: { field, fields, kind, lossy, envelope, allow, max, onMismatch, onEnd }, write };
}
