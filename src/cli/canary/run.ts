import { DEFAULT_LATE_MS, type CanaryFinding } from '../../canary/findings.js';
import { newRunName } from '../../canary/mark.js';
import { requireMarkCompared } from '../../canary/options.js';
import { formatJsonEnd, formatJsonFinding, formatTextEnd, formatTextFinding } from '../../canary/report.js';
import { CanaryRun } from '../../canary/run.js';
import { CallError, DataError, formatPlace, StoppedError } from '../../errors.js';
import { readStart } from '../../input/input.js';
import type { Follower } from '../../input/follower.js';
import { countOf, formatCount, formatDuration } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { readTargets } from '../inputs.js';
import { say } from '../messages.js';
import { resolveWrittenSite } from '../options/deployment.js';
import type { Given, RunOf } from '../options/option.js';
import { resolveRotation } from '../options/output.js';
import { STDOUT } from '../options/values.js';
import { writePidFile } from '../pid-file.js';
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
import { Interrupted } from '../signals.js';
import { writeReport } from '../write-report.js';
import type { COMMAND } from './command.js';

export const RUN: RunOf<typeof COMMAND> = async ({ log: name, received }, given) => {
  const options = resolveCanary(name, given);
  const { json, late, metrics: address, pidFile, output: file = STDOUT } = options;
  refuseTwice(received, [options.targets], 'name files');
  requireMarkCompared(options);
  const settings = { ...options, output: file === STDOUT && name === STDOUT ? process.stderr : file };
  await runCommand({ ...settings, noun: 'finding', onSignal: 'wait' }, async (run) => {
    const { signal, endSignal } = run;
    if (pidFile !== undefined) run.closeAtEnd(writePidFile(pidFile, [name, ...received, file, options.targets]));
    const targets = await readTargets(options.targets, run);
    // Opened before the first record is written: what is there now is passed over.
    const inputs = received.map((input) => followInput(input, 'end', run, [name, file]));
    const socket = { framing: options.framing, reconnects: true };
    const log = await run.open({ output: name, rotation: options.logRotation, noun: 'group', followsPath: true, socket });
    run.usedFiles.push({ stats: log.stats, role: 'log' });
    run.reopened = log;
    const isNdjson = (options.field ?? options.fields) !== undefined && options.envelope !== 'docker';
    if (isNdjson && log.stats?.isFile() === true) refuseJson(name);
    const metrics = address && new (await import('../../canary/metrics.js')).CanaryMetrics();
    const canary = new CanaryRun({ ...options, targets, onLatency: metrics?.addLatency });
    const { ledger, snapshot } = canary;
    const report = await run.openOutput(() => describeProgress(canary));
    sayWaitedFor(inputs);
    const served = address && metrics && run.closeAtEnd(await metrics.serve(snapshot, address));
    if (served !== undefined) say(`metrics at ${served.url}`);
    const logSource = name === STDOUT ? '<stdout>' : name;
    const advise = adviseOn(canary, inputs, logSource, options);
    const format = (finding: CanaryFinding): string => {
      // A run without an end says early why nothing arrives.
      advise(snapshot().delivered === 0 ? within(late) : undefined);
      return json === true ? formatJsonFinding(finding) : formatTextFinding(finding);
    };
    const summarize = () => {
      const { counts } = ledger.findings;
      const end = snapshot();
      const text = json === true ? formatJsonEnd(end, counts, new Date().toISOString()) : formatTextEnd(end, counts, logSource);
      return { text, total: counts.total };
    };
    const onWait = (records: number, forMs: number): void => {
      const what = `waiting for ${countOf(records, 'record')}, for ${formatDuration(Math.ceil(forMs / 1000))} at most`;
      say(`${what}; a second signal ends it at once`);
    };
    const findings = canary.watch({ output: log, inputs, signal, endSignal, onWait });
    await writeReport({ findings, format, summarize }, report, new AbortController().signal);
    const { written } = log;
    const haveEnded = inputs.every(({ hasEnded }) => hasEnded);
    if (haveEnded && written > 0) say('the received inputs have ended; outstanding records are missing');
    advise('while the canary ran');
    if (endSignal.aborted) return new StoppedError(endSignal.reason, written, undefined, log.noun);
    const reason: unknown = signal.reason;
    if (reason instanceof Interrupted) say(`${reason.message} (${countOf(written, 'group')} written)`);
    if (snapshot().sent > 0) return undefined;
    const refuse = (problem: string, remedy: string): DataError => new DataError({ source: name }, problem, remedy);
    if (written > 0) return refuse('none of the written records is compared', 'check --fields and --kind');
    if (haveEnded) return refuse('nothing was written: the received inputs have ended', 'keep the pipe open');
    return refuse('nothing was written', 'give a higher --rate, or a longer --duration');
  });
};

/** Resolves what needs several options. @throws CallError that names the option at fault */
function resolveCanary(log: string, given: Given<typeof COMMAND.options>) {
  const logRotation = resolveRotation(given, log);
  const { late = DEFAULT_LATE_MS, run = newRunName() } = given;
  return { ...given, ...resolveWrittenSite(given), logRotation, late, run };
}

/** @throws CallError for a log that holds JSON, where what is received is NDJSON: they are named in the wrong order */
function refuseJson(log: string): void {
  let start = '';
  try {
    start = readStart(log, 16).toString('latin1');
  } catch {
    // A log that may not be read is written as ever.
  }
  if (/^\{\s*"/.test(start))
    throw new CallError({ source: log }, 'holds JSON, not this log', 'name the log first, then what is received');
}

/**
 * Makes the function that says what may be wrong with the call, or with the following, each thing once. It takes the time in which nothing
 * at all has been delivered, `within 30 s`; undefined if something has.
 */
function adviseOn(
  { ledger, snapshot }: CanaryRun,
  inputs: readonly Follower[],
  log: string,
  { run, field }: ReturnType<typeof resolveCanary>,
) {
  const said = new Set<unknown>();
  const sayOnce = (topic: unknown, message: string): void => {
    if (!said.has(topic)) say(message);
    said.add(topic);
  };
  const to = listSources(inputs.map(({ source }) => source));
  return (time: string | undefined): void => {
    for (const message of describeTruncations(inputs)) sayOnce(message, message);
    const others = 'records came with the mark of this run that it did not write; another canary may use the same name';
    if (ledger.hasStrangers) sayOnce('strangers', `${others}, --run ${run}`);
    if (time === undefined) return;
    for (const input of inputs) if (!input.hasAppeared) sayOnce(input, refuseUnseen(input, time).message);
    const { sent, others: lines } = snapshot();
    const areRead = inputs.every(({ hasAppeared, hasEnded }) => hasAppeared && !hasEnded);
    if (ledger.mismatch !== undefined) {
      sayOnce('mismatch', `${to}: ${explainMismatch(ledger.mismatch, field)}`);
    } else if (sent > 0 && ledger.latestMs === -Infinity && areRead) {
      const what = lines === 0 ? 'nothing has come since the start' : `${countOf(lines, 'line')} came, none of this run`;
      sayOnce('silence', `${to}: ${what}; check that the collector reads ${formatPlace({ source: log })} and writes ${to}`);
    }
  };
}

/** The numbers for a terminal, what is wrong first: `2 missing`, `1 late`, `1,200 sent`, `20 outstanding, the oldest for 3 s`, `p50 12 ms`. */
function describeProgress({ snapshot, recentLatency: latency }: CanaryRun): readonly string[] {
  const now = snapshot();
  const { missing, ...others } = now.counts;
  const wrong = Object.entries(others).filter(([, count]) => count > 0);
  const inMs = (ms: number): string => `${formatCount(Math.round(ms))} ms`;
  return [
    `${formatCount(missing)} missing`,
    ...wrong.map(([kind, count]) => `${formatCount(count)} ${kind}`),
    `${formatCount(now.sent)} sent`,
    formatOutstanding(now),
    ...(latency === undefined ? [] : [`p50 ${inMs(latency.p50)}`, `p99 ${inMs(latency.p99)}`]),
  ];
}
