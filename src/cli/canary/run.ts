import { SYSTEM_CLOCK } from '../../canary/clock.js';
import type { CanaryKind } from '../../canary/findings.js';
import { RunMark } from '../../canary/mark.js';
import { countFound } from '../../canary/report.js';
import { prepareRun, type CanaryRun } from '../../canary/run.js';
import type { Comparison } from '../../compare/options.js';
import { CallError, DataError, StoppedError } from '../../errors.js';
import type { FileFollower } from '../../input/file-follower.js';
import type { StreamFollower } from '../../input/stream-follower.js';
import type { LogRecord } from '../../log/line.js';
import type { Destination } from '../../output/destination.js';
import { openDestination } from '../../output/open-destination.js';
import type { Rotation } from '../../output/rotation.js';
import type { Arrivals } from '../../requests/synth/arrivals.js';
import type { Profile } from '../../requests/synth/traffic.js';
import type { WeightedTarget } from '../../requests/synth/weighted-targets.js';
import { countOf } from '../../wording.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import { followInput, usedFilesOf } from '../followed-inputs.js';
import { STDIN } from '../inputs.js';
import { say } from '../messages.js';
import { openTargets } from '../open-targets.js';
import type { Site } from '../options/deployment.js';
import { STDOUT } from '../options/output-file.js';
import { Interrupted } from '../signals.js';
import { describeSnapshot, sayEnd, writeReport } from './write-report.js';

/** The options of `canary`. */
export interface CanaryRunOptions extends Omit<OutputOptions, 'rotation' | 'tee'>, Site {
  readonly comparison: Comparison;
  readonly kind?: LogRecord['kind'] | undefined;
  readonly lossy?: true | undefined;
  /** Requests a second. */
  readonly rate: number;
  /** In milliseconds; left out for traffic without an end. */
  readonly duration?: number | undefined;
  /** In milliseconds: a record that has not come by then is missing. */
  readonly late: number;
  /** The name of this run. */
  readonly run: string;
  /** The kinds of findings that are accepted. */
  readonly allow?: ReadonlySet<CanaryKind> | undefined;
  /** Findings that are written in a minute at most; all are counted. */
  readonly max: number;
  readonly json?: true | undefined;
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
export async function runCanary(log: string, received: readonly string[], options: CanaryRunOptions): Promise<void> {
  refuseStreams(log, received, options);
  let opened: OpenCanary | undefined;
  let prepared: CanaryRun | undefined;
  try {
    const settings = { ...options, noun: 'finding', reportsOnSignal: true, onHangup: () => opened?.log.reopen() };
    await runCommand(settings, async (run) => {
      const canary = await openCanary(log, received, options, run.signal);
      opened = canary;
      const metrics = await openMetrics(options);
      const prepare = prepareCanary(log, canary, options, run.signal, metrics?.addLatency);
      const usedFiles = [{ stats: canary.log.stats, role: 'log' } as const, ...usedFilesOf(received, options.output)];
      let close: (() => void) | undefined;
      try {
        const output = await run.openOutput(usedFiles, () => describeSnapshot(prepare.snapshot()));
        prepared = prepare;
        close = await metrics?.serve(prepare.snapshot);
        await writeReport(prepare, options, log, output);
      } catch (error) {
        canary.log.close(error);
        throw error;
      } finally {
        close?.();
        for (const input of canary.inputs) input.close();
      }
      return endCanary(log, canary, prepare, options, run.signal);
    });
  } catch (error) {
    // A signal that came before anything was written ends a run as any other.
    const isEarly = error instanceof StoppedError && error.cause instanceof Interrupted && prepared === undefined;
    throw isEarly ? refuseNothing(log) : error;
  }
}

function refuseStreams(log: string, received: readonly string[], { targets }: CanaryRunOptions): void {
  if (log === STDOUT) throw new CallError({ source: 'canary' }, 'the log is a file', 'name one, and give - for what is received');
  if ([...received, targets].filter((name) => name === STDIN).length > 1)
    throw new CallError({ source: STDIN }, 'standard input can be read only once', 'name files');
}

/** The open files of a run. */
interface OpenCanary {
  readonly inputs: readonly (FileFollower | StreamFollower)[];
  readonly log: Destination;
  readonly targets: readonly WeightedTarget[];
}

async function openCanary(
  log: string,
  received: readonly string[],
  { targets: targetsFile, logRotation: rotation, usedFiles }: CanaryRunOptions,
  signal: AbortSignal,
): Promise<OpenCanary> {
  const { targets, usedFiles: targetsFiles } = await openTargets(targetsFile, 'canary', signal);
  const others = [...usedFilesOf(received, log), ...usedFiles, ...targetsFiles];
  // Opened before the first record is written: what is there now is passed over.
  const inputs = received.map((name) => followInput(name, 'end'));
  const options = { usedFiles: others, noun: 'group', signal, warn: say, rotation };
  return { targets, inputs, log: await openDestination(log, options) };
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

function prepareCanary(
  log: string,
  { inputs, log: output, targets }: OpenCanary,
  options: CanaryRunOptions,
  signal: AbortSignal,
  onLatency: ((ms: number) => void) | undefined,
): CanaryRun {
  const { comparison, kind, lossy, allow = new Set(), max, late, rate, duration, profile, arrivals, deployment, run } = options;
  return prepareRun({
    output,
    inputs,
    traffic: { rate, durationMs: duration, profile, arrivals, targets, deployment, mark: new RunMark(run) },
    ledger: { comparison, kind, isLossy: lossy === true, allowed: allow, max, lateMs: late, logSource: log, onLatency },
    clock: SYSTEM_CLOCK,
    signal,
    onInputsEnd: () => {
      say('what is received has ended; what is outstanding is missing');
    },
  });
}

/** Closes the log, and says what is to be said at the end. Returns the fault of a run that wrote nothing. */
function endCanary(
  name: string,
  { inputs, log }: OpenCanary,
  run: CanaryRun,
  options: CanaryRunOptions,
  { reason }: AbortSignal,
): DataError | undefined {
  log.close();
  const end = run.snapshot();
  if (countFound(end, options.allow ?? new Set()) > 0) endWithFindings();
  sayEnd(run, inputs, options);
  if (reason instanceof Interrupted) say(`${reason.message} (${countOf(log.written, 'group')} written)`);
  if (end.sent > 0) return undefined;
  return log.written === 0
    ? refuseNothing(name)
    : new DataError({ source: name }, 'nothing that was written is compared', 'check --fields and --kind');
}

function refuseNothing(log: string): DataError {
  return new DataError({ source: log }, 'nothing was written', 'give a higher --rate, or a longer --duration');
}
