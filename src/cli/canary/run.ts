import { SYSTEM_CLOCK } from '../../canary/clock.js';
import type { CanaryKind } from '../../canary/findings.js';
import { RunMark } from '../../canary/mark.js';
import { countFound } from '../../canary/report.js';
import { prepareRun, type CanaryRun } from '../../canary/run.js';
import type { Comparison } from '../../compare/options.js';
import { CallError, DataError } from '../../errors.js';
import type { FileFollower, StreamFollower } from '../../input/follower.js';
import type { LogRecord } from '../../log/line.js';
import type { Destination } from '../../output/destination.js';
import type { Rotation } from '../../output/rotation.js';
import type { Arrivals } from '../../requests/synth/arrivals.js';
import type { Profile } from '../../requests/synth/traffic.js';
import type { WeightedTarget } from '../../requests/synth/weighted-targets.js';
import { countOf } from '../../wording.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import { followInput, usedFilesOf } from '../followed-inputs.js';
import { readTargets, STDIN } from '../inputs.js';
import { say } from '../messages.js';
import type { Site } from '../options/deployment.js';
import type { FindingOptions } from '../options/findings.js';
import { STDOUT } from '../options/output-file.js';
import { Interrupted } from '../signals.js';
import { describeSnapshot, sayEnd, writeReport } from './write-report.js';

/** The options of `canary`. */
export interface CanaryRunOptions extends Omit<OutputOptions, 'rotation' | 'tee'>, Site, FindingOptions<CanaryKind> {
  readonly comparison: Comparison;
  readonly kind?: LogRecord['kind'] | undefined;
  readonly lossy?: true | undefined;
  /** Requests a second. */
  readonly rate: number;
  /** In milliseconds; left out for traffic without an end. */
  readonly duration?: number | undefined;
  /** In milliseconds: an outstanding record is then missing. */
  readonly late: number;
  /** The name of this run. */
  readonly run: string;
  /** The address of the metrics; left out for none. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
  readonly profile: Profile;
  readonly arrivals: Arrivals;
  /** The list of targets to draw from; left out, those that the specification names. */
  readonly targets?: string | undefined;
  /** The rotation of the log, if it is rotated. */
  readonly logRotation: Rotation | undefined;
}

/** Runs `canary`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runCanary(name: string, received: readonly string[], options: CanaryRunOptions): Promise<void> {
  const { targets: targetsFile, logRotation: rotation, output: outputFile, allow: allowed = new Set() } = options;
  refuseStreams(name, received, targetsFile);
  await runCommand({ ...options, noun: 'finding', reportsOnSignal: true, reopens: true }, async (run) => {
    const { signal } = run;
    const targets = await readTargets(targetsFile, 'canary', run);
    run.usedFiles.push(...usedFilesOf(received, [name, outputFile]));
    // Opened before the first record is written: what is there now is passed over.
    const inputs = received.map((file) => followInput(file, 'end'));
    const log = await run.open({ output: name, rotation, noun: 'group' });
    run.usedFiles.push({ stats: log.stats, role: 'log' });
    run.reopened = log;
    const metrics = await openMetrics(options);
    const canary = prepareCanary({ log, inputs, targets }, name, options, signal, metrics?.addLatency);
    let close: (() => void) | undefined;
    try {
      const output = await run.openOutput(() => describeSnapshot(canary.snapshot()));
      close = await metrics?.serve(canary.snapshot);
      await writeReport(canary, options, name, output);
    } finally {
      close?.();
      for (const input of inputs) input.close();
    }
    const end = canary.snapshot();
    if (countFound(end, allowed) > 0) endWithFindings();
    sayEnd(canary, inputs, options);
    const reason: unknown = signal.reason;
    if (reason instanceof Interrupted) say(`${reason.message} (${countOf(log.written, 'group')} written)`);
    if (end.sent > 0) return undefined;
    return log.written > 0
      ? new DataError({ source: name }, 'none of the written records is compared', 'check --fields and --kind')
      : new DataError({ source: name }, 'nothing was written', 'give a higher --rate, or a longer --duration');
  });
}

function refuseStreams(log: string, received: readonly string[], targets: string | undefined): void {
  if (log === STDOUT) throw new CallError({ source: 'canary' }, 'the log cannot be standard output', 'name a file');
  if ([...received, targets].filter((name) => name === STDIN).length > 1)
    throw new CallError({ source: STDIN }, 'standard input can be read only once', 'name files');
}

/** Makes the metrics, if they are asked for. Listening throws CallError if that cannot be. */
async function openMetrics({ metrics: address }: CanaryRunOptions) {
  if (address === undefined) return undefined;
  const { CanaryMetrics, serveMetrics } = await import('../../canary/metrics.js');
  const metrics = new CanaryMetrics();
  const serve = async (snapshot: CanaryRun['snapshot']): Promise<() => void> => {
    const served = await serveMetrics(metrics, snapshot, address);
    say(`metrics at ${served.url}`);
    return served.close;
  };
  return { addLatency: metrics.addLatency, serve };
}

/** The open files of a run. */
interface OpenCanary {
  readonly inputs: readonly (FileFollower | StreamFollower)[];
  readonly log: Destination;
  readonly targets: readonly WeightedTarget[];
}

function prepareCanary(
  { inputs, log: output, targets }: OpenCanary,
  logSource: string,
  options: CanaryRunOptions,
  signal: AbortSignal,
  onLatency: ((ms: number) => void) | undefined,
): CanaryRun {
  const { comparison, kind, lossy, allow = new Set(), max, late, rate, duration, profile, arrivals, deployment, run } = options;
  return prepareRun({
    output,
    inputs,
    traffic: { rate, durationMs: duration, profile, arrivals, targets, deployment, mark: new RunMark(run) },
    ledger: { comparison, kind, isLossy: lossy === true, allowed: allow, max, lateMs: late, logSource, onLatency },
    clock: SYSTEM_CLOCK,
    signal,
    onInputsEnd: () => {
      say('the received inputs have ended; outstanding records are missing');
    },
  });
}
