import { truncateSync } from 'node:fs';
import { explainSystemError } from '../errors.js';
import { formatFault } from '../faults/fault.js';
import { FaultInjector } from '../faults/fault-injector.js';
import { readForeignRecords } from '../faults/foreign/foreign-log.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from '../faults/kinds.js';
import type { LogRequest } from '../log/group.js';
import type { Stages } from '../output/log-pieces.js';
import type { WriteOptions } from '../output/pack.js';
import { Packet } from '../output/piece.js';
import type { Slice } from '../requests/synth/arrivals.js';
import { countOf } from '../wording.js';
import type { CommandRun } from './command-run.js';
import { say } from './messages.js';
import { openSource } from './inputs.js';
import type { FaultChoice } from './options/log-writer.js';
import { STDOUT } from './options/values.js';

/**
 * Gives the stages that break a log and report its faults, which a last message counts. `breakLog` empties the report: the output must be
 * open then.
 * @param log `slice`: the groups to write; its pieces begin and end as `widenSlice` says
 * @throws DataError if the log of `--foreign-from` contains no foreign records
 */
export async function openFaults(
  { rates, seed, foreignFrom, foreignOnly, faultReport }: FaultChoice,
  log: Pick<Stages<LogRequest>, 'deployment' | 'envelope'> & { readonly slice?: Slice },
  run: CommandRun,
): Promise<Pick<Stages<LogRequest>, 'breakLog'> & Pick<WriteOptions, 'afterWrite'>> {
  const source = foreignFrom === undefined ? undefined : await openSource(foreignFrom, run, 'foreign record');
  const foreignRecords = source && (await readForeignRecords(source.blocks, source.source));
  const report = faultReport === undefined ? undefined : await run.open({ output: faultReport, noun: 'fault' });
  if (report !== undefined) run.usedFiles.push({ stats: report.stats, role: 'fault report' });
  const records = { foreignRecords, foreignOnly: foreignOnly && Array.from(foreignOnly) };
  const injector = new FaultInjector<LogRequest>({ rates, seed, ...log, ...records });
  const counts: Partial<Record<FaultKind, number>> = {};
  return {
    breakLog: (pieces) => {
      if (faultReport !== undefined && faultReport !== STDOUT && report?.isContinued === true)
        try {
          truncateSync(faultReport);
        } catch (error) {
          // Some files can only be appended to.
          throw explainSystemError(error, faultReport);
        }
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

/** Counts by kind, in the order of the kinds: `2 torn, 1 late`. */
function listKinds(counts: PerKind): string {
  return FAULT_KINDS.flatMap((kind) => (counts[kind] === undefined ? [] : [`${String(counts[kind])} ${kind}`])).join(', ');
}
