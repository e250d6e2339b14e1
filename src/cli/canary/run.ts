import { SYSTEM_CLOCK } from '../../canary/clock.js';
import { RunMark } from '../../canary/mark.js';
import { countFound } from '../../canary/report.js';
import { prepareRun, type CanaryRun } from '../../canary/run.js';
import { CallError, DataError, StoppedError } from '../../errors.js';
import type { FileFollower } from '../../input/file-follower.js';
import type { StreamFollower } from '../../input/stream-follower.js';
import type { Destination } from '../../output/destination.js';
import type { WeightedTarget } from '../../requests/synth/weighted-targets.js';
import { countOf } from '../../wording.js';
import { endWithFindings } from '../exit.js';
import { followInput, usedFilesOf } from '../followed-inputs.js';
import { say } from '../messages.js';
import { STDIN } from '../open-source.js';
import { openTargets } from '../open-targets.js';
import { STDOUT } from '../options/output-file.js';
import { Interrupted } from '../signals.js';
import { openOutput, withDestination } from '../with-destination.js';
import type { CanaryRunOptions } from './options.js';
import { describeSnapshot, sayEnd, writeReport } from './write-report.js';

/** Runs `canary`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runCanary(log: string, received: readonly string[], options: CanaryRunOptions): Promise<void> {
  refuseStreams(log, received, options);
  let opened: OpenCanary | undefined;
  let run: CanaryRun | undefined;
  try {
    await withDestination({
      outputFile: options.outputFile,
      noun: 'finding',
      quiet: options.quiet,
      reportsOnSignal: true,
      onHangup: () => opened?.log.reopen(),
      open: async (signal) => {
        opened = await openCanary(log, received, options, signal);
        return opened;
      },
      usedFiles: (canary) => [{ stats: canary.log.stats, role: 'log' }, ...usedFilesOf(received, options.outputFile)],
      describe: () => (run === undefined ? '' : describeSnapshot(run.snapshot())),
      work: async (canary, { output }, signal) => {
        const metrics = await openMetrics(options);
        run = prepareCanary(log, canary, options, signal, metrics?.addLatency);
        let close: (() => void) | undefined;
        try {
          close = await metrics?.listen(run.snapshot);
          await writeReport(run, options, log, output);
        } catch (error) {
          canary.log.leave();
          throw error;
        } finally {
          close?.();
          for (const input of canary.inputs) input.close();
        }
        return endCanary(log, canary, run, options, signal);
      },
    });
  } catch (error) {
    // A signal that came before anything was written ends a run as any other.
    const isEarly = error instanceof StoppedError && error.cause instanceof Interrupted && run === undefined;
    throw isEarly ? refuseNothing(log) : error;
  }
}

function refuseStreams(log: string, received: readonly string[], { targetsFile }: CanaryRunOptions): void {
  if (log === STDOUT) throw new CallError({ source: 'canary' }, 'the log is a file', 'name one, and give - for what is received');
  if ([...received, targetsFile].filter((name) => name === STDIN).length > 1)
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
  { targetsFile, rotation, usedFiles }: CanaryRunOptions,
  signal: AbortSignal,
): Promise<OpenCanary> {
  const { targets, usedFiles: targetsFiles } = await openTargets(targetsFile, 'canary', signal);
  const others = [...usedFilesOf(received, log), ...usedFiles, ...targetsFiles];
  // Opened before the first record is written: what is there now is passed over.
  const inputs = received.map((name) => followInput(name, 'end'));
  return { targets, inputs, log: await openOutput(log, { usedFiles: others, noun: 'group', signal, warn: say, rotation }) };
}

/** Makes the metrics, if they are asked for. @throws CallError if nobody can listen there */
async function openMetrics({ metrics: address }: CanaryRunOptions) {
  if (address === undefined) return undefined;
  const { CanaryMetrics, serveMetrics } = await import('../../canary/metrics.js');
  const metrics = new CanaryMetrics();
  const listen = async (snapshot: CanaryRun['snapshot']): Promise<() => void> => {
    const served = await serveMetrics(metrics, snapshot, address);
    say(`metrics at ${served.url}`);
    return served.close;
  };
  return { addLatency: metrics.addLatency, listen };
}

function prepareCanary(
  log: string,
  { inputs, log: { output }, targets }: OpenCanary,
  options: CanaryRunOptions,
  signal: AbortSignal,
  onLatency: ((ms: number) => void) | undefined,
): CanaryRun {
  const { comparison, kind, isLossy, allowed, max, lateMs, rate, durationMs, profile, arrivals, deployment } = options;
  return prepareRun({
    output,
    inputs,
    traffic: { rate, durationMs, profile, arrivals, targets, deployment, mark: new RunMark(options.run) },
    ledger: { comparison, kind, isLossy, allowed, max, lateMs, logSource: log, onLatency },
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
  if (countFound(end, options.allowed) > 0) endWithFindings();
  sayEnd(run, inputs, options);
  if (reason instanceof Interrupted) say(`${reason.message} (${countOf(log.output.written, 'group')} written)`);
  if (end.sent > 0) return undefined;
  return log.output.written === 0
    ? refuseNothing(name)
    : new DataError({ source: name }, 'nothing that was written is compared', 'check --fields and --kind');
}

function refuseNothing(log: string): DataError {
  return new DataError({ source: log }, 'nothing was written', 'give a higher --rate, or a longer --duration');
}
