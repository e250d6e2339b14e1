import { truncateSync } from 'node:fs';
import { explainSystemError } from '../errors.js';
import { describeFaults, ReportedOutput } from '../faults/fault-report.js';
import { readForeignRecords } from '../faults/foreign/foreign-log.js';
import { FaultInjector } from '../faults/fault-injector.js';
import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import type { Destination, Output } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import { openDestination } from '../output/open-destination.js';
import type { PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/synth.js';
import { reportAtEnd, targetOf } from './command-run.js';
import { say } from './messages.js';
import { inputFile, openSource } from './inputs.js';
import type { FaultChoice } from './options/faults.js';
import { STDOUT } from './options/output-file.js';

/** The sources of faults and the destination of their report, open. */
export interface OpenFaults extends FaultChoice {
  /** The records of `foreign`; undefined for those of the real software. */
  readonly foreignRecords: readonly string[] | undefined;
  readonly report: Destination | undefined;
  /** The files that are open: the output must be another. */
  readonly usedFiles: readonly UsedFile[];
}

/**
 * Reads the records of `foreign`, and opens the report. What the report holds is left until the output is open.
 *
 * @param command the name of the command, for messages
 * @param usedFiles the files that the run reads: the report must be another
 * @throws CallError if a file cannot be opened, or the report is one of those that are used
 * @throws DataError if the log of `--foreign-from` holds no record of another kind
 */
export async function openFaults(
  choice: FaultChoice,
  command: string,
  usedFiles: readonly UsedFile[],
  signal: AbortSignal,
): Promise<OpenFaults> {
  const { foreignFile, reportFile } = choice;
  const source = foreignFile === undefined ? undefined : await openSource(foreignFile, command, 'log', signal);
  const foreignRecords = source && (await readForeignRecords(source.chunks, source.source));
  const sourceFiles = source === undefined ? [] : [{ ...inputFile(source), role: 'foreign record' } as const];
  const options = { usedFiles: [...usedFiles, ...sourceFiles], noun: 'fault', signal, warn: say };
  const report = reportFile === undefined ? undefined : await openDestination(targetOf(reportFile), options);
  const reportFiles = report === undefined ? [] : [{ stats: report.stats, role: 'fault report' } as const];
  return { ...choice, foreignRecords, report, usedFiles: [...sourceFiles, ...reportFiles] };
}

/** The log that is broken. */
interface CleanLog {
  readonly pieces: PieceBatches<LogRequest>;
  readonly deployment: Deployment;
  /** The groups to write; `pieces` begin and end as `widenSlice` says. Undefined for all. */
  readonly slice: Slice | undefined;
}

/**
 * Breaks a log while it is written, and reports the faults that stand in it. A last message counts them.
 *
 * @param write writes pieces to an output
 * @throws what `write` throws, and CallError if the report cannot be written
 */
export async function runFaults(
  { rates, seed, foreignRecords, report: destination, reportFile }: OpenFaults,
  { pieces, deployment, slice }: CleanLog,
  output: Output,
  write: (pieces: PieceBatches<LogRequest>, output: Output) => Promise<void>,
): Promise<void> {
  const reported = new ReportedOutput(output, deployment, destination);
  const onFault = reported.add.bind(reported);
  const injector = new FaultInjector<LogRequest>({ rates, seed, deployment, foreignRecords, slice, onFault });
  if (reportFile !== undefined && reportFile !== STDOUT && destination?.stats.isFile() === true) empty(reportFile);
  try {
    await reportAtEnd(
      () => write(injector.inject(pieces), reported),
      () => {
        say(describeFaults(reported.counts, injector.unplaced));
      },
    );
  } catch (error) {
    destination?.close(error);
    throw error;
  }
  destination?.close();
}

function empty(file: string): void {
  try {
    truncateSync(file);
  } catch (error) {
    throw explainSystemError(error, file);
  }
}
