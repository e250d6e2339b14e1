import { setTimeout } from 'node:timers/promises';
import { compareLogs } from '../../compare/compare-logs.js';
import { describePassedOver, type ComparisonFinding, type ComparisonSummary } from '../../compare/findings.js';
import { followLogs } from '../../compare/follow-logs.js';
import { comparisonOf, type ComparedSource, type CompareOptions } from '../../compare/options.js';
import { DataError, formatPlace } from '../../errors.js';
import { formatJsonFinding, formatJsonSummary, formatTextFinding, formatTextSummary } from '../../findings/delivery.js';
import { RESOLUTION_MS, type Follower } from '../../input/follower.js';
import type { Input } from '../../input/input.js';
import { recordOn } from '../../input/log-lines.js';
import { countOf, formatCount } from '../../wording.js';
import { runCommand, type CommandRun } from '../command-run.js';
import { measureRead, openSource, refuseTerminal, sourceOf, STDIN } from '../inputs.js';
import { say } from '../messages.js';
import type { RunOf } from '../options/option.js';
import {
  describeTruncations,
  explainMismatch,
  followInput,
  formatOutstanding,
  listSources,
  refuseTwice,
  refuseUnseen,
  sayWaitedFor,
  within,
} from '../received.js';
import { writeReport } from '../write-report.js';
import type { COMMAND } from './command.js';

export const RUN: RunOf<typeof COMMAND> = async ({ expected, received }, options) => {
  const { wait, json, output: file, field, fields, kind, lossy, envelope, allow, max } = options;
  const names = received.length === 0 ? [STDIN] : received;
  refuseTwice(names, [expected], 'name the log that was sent');
  if (received.length === 0) refuseTerminal('compare', 'received input');
  // Options that contradict each other are refused before anything is opened.
  comparisonOf(options);
  await runCommand({ ...options, noun: 'finding', onSignal: wait === undefined ? 'stop' : 'report' }, async (run) => {
    const source = sourceOf(expected);
    let end: ComparisonSummary | undefined;
    let ofOtherKind: string | undefined;
    const compared: CompareOptions = {
      ...{ field, fields, kind, lossy, envelope, allow, max },
      onMismatch: (mismatch) => {
        say(`${listSources(names)}: ${explainMismatch(mismatch, field)}`);
      },
      onEnd: (summary) => void (end = summary),
    };
    const { findings, measure, followed, finish } =
      wait === undefined
        ? await compareInputs(expected, names, compared, run)
        : compareGrowing(expected, names, compared, run, wait, file);
    const output = await run.openOutput(measure);
    sayWaitedFor(followed);
    const format = (finding: ComparisonFinding): string => {
      if (kind !== undefined && finding.kind === 'foreign' && (recordOn(finding.text)?.kind ?? kind) !== kind)
        ofOtherKind ??= finding.source;
      return json === true ? formatJsonFinding(finding) : formatTextFinding(finding, source);
    };
    const summarize = () => {
      if (end === undefined) return undefined;
      const truncations = followed.reduce((sum, input) => sum + input.truncations, 0);
      const more = wait === undefined ? {} : { truncations };
      const text = json === true ? formatJsonSummary(end, more) : formatTextSummary(end, source, describePassedOver(end));
      return { text, total: end.counts.total };
    };
    // A signal ends the following, and the report is written.
    await writeReport({ findings, format, summarize }, output, wait === undefined ? run.signal : new AbortController().signal);
    for (const input of end?.opened ?? []) say(`${formatPlace(input)}: in ${input.envelope} envelopes; compared what is inside`);
    if (ofOtherKind !== undefined)
      say(`${formatPlace({ source: ofOtherKind })}: has records of another kind than --kind; --allow foreign accepts them`);
    for (const message of describeTruncations(followed)) say(message);
    return finish() ?? findUnusable(source, end);
  });
};

async function compareInputs(expected: string, received: readonly string[], options: CompareOptions, run: CommandRun) {
  let fault: DataError | undefined;
  /** A fault of the data ends the bytes of an input: what came before it is compared. */
  const readToFault = async function* ({ blocks }: Input): AsyncGenerator<Uint8Array> {
    try {
      yield* blocks;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      fault ??= error;
    }
  };
  const inputs: Input[] = [];
  const open = async (name: string) => {
    const input = await openSource(name, run);
    const { source, readAt } = input;
    inputs.push(input);
    return { source, chunks: readToFault(input), ...(readAt && { readAt }) };
  };
  const sent = await open(expected);
  const delivered: ComparedSource[] = [];
  for (const name of received) delivered.push(await open(name));
  const findings = compareLogs(sent, delivered, options);
  const followed: Follower[] = [];
  return { findings, measure: () => measureRead(inputs), followed, finish: () => fault };
}

function compareGrowing(
  expected: string,
  received: readonly string[],
  options: CompareOptions,
  run: CommandRun,
  waitMs: number,
  output: string | undefined,
) {
  const { signal } = run;
  const follow = (name: string) => followInput(name, 'start', run, [output]);
  const [sent, delivered] = [follow(expected), received.map(follow)];
  // A signal ends the waiting, and so does the time: the loop of `followLogs` asks which it was.
  const sleep = (delayMs: number): Promise<void> => setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
  const clock = { now: () => performance.now(), sleep };
  const settings = { ...options, clock, waitMs, resolutionMs: RESOLUTION_MS, signal };
  const { findings, progress, hasGrown } = followLogs(sent, delivered, settings);
  const measure = () => {
    const now = progress();
    return [`${formatCount(now.sent)} sent`, `${formatCount(now.delivered)} delivered`, formatOutstanding(now)];
  };
  const finish = () => {
    signal.throwIfAborted();
    const time = within(waitMs);
    for (const input of delivered) if (!input.hasAppeared) say(refuseUnseen(input, time).message);
    if (!sent.hasAppeared) return refuseUnseen(sent, time);
    if (!hasGrown()) say(`nothing new came ${time}; compared what the files held`);
    return undefined;
  };
  return { findings, measure, followed: [sent, ...delivered], finish };
}

/** The fault of an expected log that has lines but no records to compare. Of one without lines, a message says so. */
function findUnusable(source: string, end?: ComparisonSummary): DataError | undefined {
  if (end === undefined || end.recordsSent > 0) return undefined;
  if (end.expectedPassedOver > 0) {
    const problem = `none of its ${countOf(end.expectedPassedOver, 'line')} is a record to compare`;
    return new DataError({ source }, problem, 'check that it is the log that was sent, and --kind');
  }
  say(`${formatPlace({ source })}: is empty; check that it is the log that was sent`);
  return undefined;
}
