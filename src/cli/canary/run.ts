import { requireMarkCompared } from '../../canary/canary.js';
import { DEFAULT_LATE_MS, type CanaryFinding, type CanarySnapshot } from '../../canary/findings.js';
import { newRunName } from '../../canary/mark.js';
import { formatJsonEnd, formatJsonFinding, formatTextEnd, formatTextFinding } from '../../canary/report.js';
import { CanaryRun } from '../../canary/run.js';
import { CallError, DataError, formatPlace, StoppedError } from '../../errors.js';
import type { LatencySummary } from '../../findings/latencies.js';
import { readStart } from '../../input/input.js';
import type { Follower } from '../../input/follower.js';
import type { Destination } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { countOf, formatCount, formatDuration } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import {
  followInput,
  formatOutstanding,
  formatWait,
  refuseUnseen,
  sayWaitedFor,
  truncationSayer,
  usedFilesOf,
} from '../followed-inputs.js';
import { readTargets, refuseSameTwice, refuseSecondStdin } from '../inputs.js';
import { say } from '../messages.js';
import { resolveWrittenSite } from '../options/deployment.js';
import { runOf, type Given } from '../options/option.js';
import { resolveRotation } from '../options/output.js';
import { STDOUT } from '../options/values.js';
import { withPidFile } from '../pid-file.js';
import { renderReport } from '../render-report.js';
import { sayMismatch } from '../say-mismatch.js';
import { Interrupted } from '../signals.js';
import { COMMAND } from './command.js';

/** SIGINT and SIGTERM are the normal end of `canary`. */
export const RUN = runOf(COMMAND, async ({ log, received }, options) => {
  const { pidFile, output, targets } = options;
  const resolved = resolveCanary(log, options);
  await withPidFile(pidFile, [log, ...received, output, targets], () => watchPipeline(log, received, resolved));
});

/** Resolves what needs several options. @throws CallError that names the option at fault */
function resolveCanary(log: string, options: Given<typeof COMMAND.options>) {
  const logRotation = resolveRotation(options, log);
  const { late = DEFAULT_LATE_MS, run = newRunName() } = options;
  return { ...options, ...resolveWrittenSite(options), logRotation, late, run };
}

type CanaryRunOptions = ReturnType<typeof resolveCanary>;

async function watchPipeline(name: string, received: readonly string[], options: CanaryRunOptions): Promise<void> {
  const { targets: targetsFile, logRotation: rotation, output: outputFile = STDOUT, metrics: address } = options;
  refuseSecondStdin([...received, targetsFile], 'name files');
  refuseSameTwice(received);
  requireMarkCompared(options);
  const output = outputFile === STDOUT && name === STDOUT ? process.stderr : outputFile;
  await runCommand({ ...options, output, noun: 'finding', onSignal: 'wait' }, async (run) => {
    const { signal, endSignal } = run;
    const targets = await readTargets(targetsFile, run);
    run.usedFiles.push(...usedFilesOf(received, [name, outputFile]));
    // Opened before the first record is written: what is there now is passed over.
    const inputs = received.map((file) => followInput(file, 'end'));
    const socket = { framing: options.framing, reconnects: true };
    const log = await run.open({ output: name, rotation, noun: 'group', followsPath: true, socket }).catch((error: unknown) => {
      // Standard input that is followed would keep the process alive.
      for (const input of inputs) input.close();
      throw error;
    });
    run.usedFiles.push({ stats: log.stats, role: 'log' });
    run.reopened = log;
    const metrics = address && new (await import('../../canary/metrics.js')).CanaryMetrics();
    const receivedSources = inputs.map(({ source }) => source);
    const canary = new CanaryRun({ ...options, targets, receivedSources, onLatency: metrics?.addLatency });
    const { ledger, snapshot } = canary;
    const logSource = name === STDOUT ? '<stdout>' : name;
    const advise = adviseOn(canary, inputs, logSource, options);
    let served: { readonly url: string; readonly close: () => void } | undefined;
    try {
      refuseJsonLog(log, name, options);
      const report = await run.openOutput(() => describeProgress(snapshot(), canary.recentLatency));
      sayWaitedFor(inputs);
      served = address && (await metrics?.serve(snapshot, address));
      if (served !== undefined) say(`metrics at ${served.url}`);
      const onWait = (records: number, forMs: number): void => {
        const what = `waiting for ${countOf(records, 'record')}, for ${formatDuration(Math.ceil(forMs / 1000))} at most`;
        say(`${what}; a second signal ends it at once`);
      };
      const format = (finding: CanaryFinding): string => {
        // A run without an end says early why nothing arrives.
        advise(snapshot().delivered === 0 ? `within ${formatWait(options.late)}` : undefined);
        return options.json === true ? formatJsonFinding(finding) : formatTextFinding(finding);
      };
      const summarize = (): string => {
        const summary = { end: snapshot(), counts: ledger.findings.counts };
        if (options.json === true) return formatJsonEnd(summary, new Date().toISOString());
        return formatTextEnd(summary, logSource);
      };
      const findings = canary.watch({ output: log, inputs, signal, endSignal, onWait });
      await writePieces(renderReport(findings, format, summarize), report, new AbortController().signal);
    } finally {
      served?.close();
      for (const input of inputs) input.close();
    }
    const end = snapshot();
    if (ledger.findings.counts.total > 0) endWithFindings();
    const haveEnded = inputs.every(({ hasEnded }) => hasEnded);
    if (haveEnded && log.written > 0) say('the received inputs have ended; outstanding records are missing');
    advise('while the canary ran');
    if (endSignal.aborted) return new StoppedError(endSignal.reason, log.written, undefined, log.noun);
    const reason: unknown = signal.reason;
    if (reason instanceof Interrupted) say(`${reason.message} (${countOf(log.written, 'group')} written)`);
    if (end.sent > 0) return undefined;
    if (log.written > 0)
      return new DataError({ source: name }, 'none of the written records is compared', 'check --fields and --kind');
    return haveEnded
      ? new DataError({ source: name }, 'nothing was written: the received inputs have ended', 'keep the pipe open')
      : new DataError({ source: name }, 'nothing was written', 'give a higher --rate, or a longer --duration');
  });
}

/** @throws CallError for a log that holds JSON where what is received is NDJSON: they are named in the wrong order */
function refuseJsonLog({ stats }: Destination, name: string, { field, fields, envelope }: CanaryRunOptions): void {
  if ((field ?? fields) === undefined || envelope === 'docker' || stats?.isFile() !== true || stats.size === 0) return;
  let head = '';
  try {
    head = readStart(name, 16).toString('latin1');
  } catch {
    // A log that may not be read is written as ever.
  }
  if (/^\{\s*"/.test(head))
    throw new CallError({ source: name }, 'holds JSON, not this log', 'name the log first, then what is received');
}

/**
 * Makes the function that says what may be wrong with the call, or with the following, each thing once.
 *
 * @returns a function of the time within which nothing at all has been delivered; undefined if something has
 */
function adviseOn(
  { ledger, snapshot }: CanaryRun,
  inputs: readonly Follower[],
  log: string,
  { run, field }: CanaryRunOptions,
): (within: string | undefined) => void {
  const unsaid = new Set<unknown>(['mismatch', 'strangers', 'silence', ...inputs]);
  const sayTruncations = truncationSayer(inputs);
  return (within) => {
    sayTruncations();
    if (ledger.hasStrangers && unsaid.delete('strangers'))
      say(`records came with the mark of this run that it did not write; another canary may use the same name, --run ${run}`);
    if (within === undefined) return;
    for (const input of inputs) if (!input.hasAppeared && unsaid.delete(input)) say(refuseUnseen(input, within).message);
    const sources = inputs.map(({ source }) => source);
    const { mismatch } = ledger;
    if (mismatch !== undefined && unsaid.delete('mismatch')) sayMismatch(mismatch, sources, field);
    const { sent, others } = snapshot();
    const isDeaf = ledger.latestMs === -Infinity && inputs.every(({ hasAppeared, hasEnded }) => hasAppeared && !hasEnded);
    if (mismatch === undefined && sent > 0 && isDeaf && unsaid.delete('silence')) {
      const to = sources.map((source) => formatPlace({ source })).join(', ');
      const what = others === 0 ? 'nothing has come since the start' : `${countOf(others, 'line')} came, none of this run`;
      say(`${to}: ${what}; check that the collector reads ${formatPlace({ source: log })} and writes ${to}`);
    }
  };
}

/** The numbers for a terminal, what is wrong first: `2 missing`, `1 late`, `1,200 sent`, `20 outstanding, the oldest for 3 s`, `p50 12 ms`. */
function describeProgress(snapshot: CanarySnapshot, latency: LatencySummary | undefined): readonly string[] {
  const { missing, ...others } = snapshot.counts;
  const wrong = Object.entries(others).filter(([, count]) => count > 0);
  const times = latency === undefined ? [] : (['p50', 'p99'] as const).map((name) => [name, latency[name]] as const);
  return [
    `${formatCount(missing)} missing`,
    ...wrong.map(([kind, count]) => `${formatCount(count)} ${kind}`),
    `${formatCount(snapshot.sent)} sent`,
    formatOutstanding(snapshot),
    ...times.map(([name, ms]) => `${name} ${formatCount(Math.round(ms))} ms`),
  ];
}
