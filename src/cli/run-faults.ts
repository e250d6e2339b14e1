import { truncateSync } from 'node:fs';
import { explainSystemError } from '../errors.js';
import { formatFault } from '../faults/fault.js';
import { FaultInjector } from '../faults/fault-injector.js';
import { readForeignRecords } from '../faults/foreign/foreign-log.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from '../faults/kinds.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { Packet } from '../output/piece.js';
import type { PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/arrivals.js';
import { countOf } from '../wording.js';
import type { CommandRun } from './command-run.js';
import { say } from './messages.js';
import { openSource } from './inputs.js';
import type { FaultChoice } from './options/log-writer.js';
import { STDOUT } from './options/values.js';

/** Breaks a log by faults, which a last message counts. */
interface LogBreaker {
  /** The stage that breaks the log. To be called once the output is open: it empties the report. */
  readonly breakLog: (pieces: PieceBatches<LogRequest>) => PieceBatches<LogRequest>;
  /** Counts and reports the faults in the first `written` groups of the log. */
  readonly afterWrite: (written: number) => Promise<void>;
}

interface CleanLog {
  readonly deployment: Deployment;
  readonly envelope?: EnvelopeName | undefined;
  /** The groups to write; the pieces begin and end as `widenSlice` says. Undefined for all. */
  readonly slice?: Slice;
}

/** Reads the records of `foreign`, and opens the report. @throws DataError if the log of `--foreign-from` contains no foreign records */
export async function openFaults(
  { rates, seed, foreignFrom, foreignOnly, faultReport }: FaultChoice,
  log: CleanLog,
  run: CommandRun,
): Promise<LogBreaker> {
  const source = foreignFrom === undefined ? undefined : await openSource(foreignFrom, run, 'foreign record');
  const foreignRecords = source && (await readForeignRecords(source.blocks, source.source));
  const report = faultReport === undefined ? undefined : await run.open({ output: faultReport, noun: 'fault' });
  if (report !== undefined) run.usedFiles.push({ stats: report.stats, role: 'fault report' });
  const records = { foreignRecords, foreignOnly: foreignOnly && Array.from(foreignOnly) };
  const injector = new FaultInjector<LogRequest>({ rates, seed, ...log, ...records });
  const counts: Partial<Record<FaultKind, number>> = {};
  return {
    breakLog: (pieces) => {
      if (faultReport !== undefined && faultReport !== STDOUT && report?.isContinued === true) empty(faultReport);
      run.atEnd(() => {
        const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
        const faults = total === 0 ? 'no faults' : `${countOf(total, 'fault')}: ${listKinds(counts)}`;
        const short = listKinds(injector.unplaced);
        say(short === '' ? faults : `${faults}; rate not reached: no suitable group for ${short}`);
      });
      return injector.inject(pieces);
    },
    afterWrite: async (written) => {
      const faults = injector.takeFaults(written);
      for (const { kind } of faults.map(({ details }) => details)) counts[kind] = (counts[kind] ?? 0) + 1;
      if (report === undefined || faults.length === 0) return;
      // With one call, so that the report is whole after every write.
      const packet = new Packet(0);
      const text = faults.map((fault) => formatFault(fault, log.deployment)).join('');
      packet.add({ bytes: Buffer.from(text), count: faults.length, origin: {} });
      await report.write(packet);
    },
  };
}

/** @throws CallError for a file that can only be appended to */
function empty(file: string): void {
  try {
    truncateSync(file);
  } catch (error) {
    throw explainSystemError(error, file);
  }
}

/** Counts by kind, in the order of the kinds: `2 torn, 1 late`. */
function listKinds(counts: PerKind): string {
  return FAULT_KINDS.flatMap((kind) => (counts[kind] === undefined ? [] : [`${String(counts[kind])} ${kind}`])).join(', ');
}
