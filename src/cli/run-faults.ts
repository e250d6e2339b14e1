import { truncateSync } from 'node:fs';
import { explainSystemError } from '../errors.js';
import { describeFaults, ReportedOutput } from '../faults/fault-report.js';
import { readForeignRecords } from '../faults/foreign/foreign-log.js';
import { FaultInjector } from '../faults/fault-injector.js';
import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import type { Output } from '../output/destination.js';
import type { PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/arrivals.js';
import type { CommandRun } from './command-run.js';
import { say } from './messages.js';
import { openSource } from './inputs.js';
import type { FaultChoice } from './options/log-writer.js';
import { STDOUT } from './options/values.js';

/** Breaks a log on its way into an output: gives the stage that breaks it, and the output to write it to. */
export type BreakInto = (output: Output) => {
  readonly breakLog: (pieces: PieceBatches<LogRequest>) => PieceBatches<LogRequest>;
  readonly output: Output;
};

/** The log that is broken. */
interface CleanLog {
  readonly deployment: Deployment;
  /** The groups to write; the pieces begin and end as `widenSlice` says. Undefined for all. */
  readonly slice?: Slice;
}

/**
 * Reads the records of `foreign`, and opens the report, which is emptied once the output is open. A last message counts the faults that
 * stand in the output.
 *
 * @throws DataError if the log of `--foreign-from` contains no foreign records
 */
export async function openFaults(
  { rates, seed, foreignFrom, foreignOnly, faultReport }: FaultChoice,
  { deployment, slice }: CleanLog,
  command: string,
  run: CommandRun,
): Promise<BreakInto> {
  const source = foreignFrom === undefined ? undefined : await openSource(foreignFrom, command, 'log', run, 'foreign record');
  const foreignRecords = source && (await readForeignRecords(source.blocks, source.source));
  const report = faultReport === undefined ? undefined : await run.open({ output: faultReport, noun: 'fault' });
  if (report !== undefined) run.usedFiles.push({ stats: report.stats, role: 'fault report' });
  return (output) => {
    const reported = new ReportedOutput(output, deployment, report);
    const onFault = reported.add.bind(reported);
    const records = { foreignRecords, foreignOnly: foreignOnly && Array.from(foreignOnly) };
    const injector = new FaultInjector<LogRequest>({ rates, seed, deployment, ...records, slice, onFault });
    if (faultReport !== undefined && faultReport !== STDOUT && report?.stats?.isFile() === true) empty(faultReport);
    run.atEnd(() => {
      say(describeFaults(reported.counts, injector.unplaced));
    });
    return { breakLog: (pieces) => injector.inject(pieces), output: reported };
  };
}

function empty(file: string): void {
  try {
    truncateSync(file);
  } catch (error) {
    throw explainSystemError(error, file);
  }
}
