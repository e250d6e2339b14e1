import { FaultInjector, widenSlice } from '../../src/faults/fault-injector.js';
import type { Fault } from '../../src/faults/fault.js';
import { FAULT_KINDS, type PerKind, type RealRecord } from '../../src/faults/kinds.js';
import { countLines } from '../../src/lines.js';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import type { LogRequest } from '../../src/log/group.js';
import { groupPieces } from './packets.js';
import type { Slice } from '../../src/requests/synth/arrivals.js';

export interface BrokenLog {
  readonly log: string;
  readonly faults: readonly Fault[];
  readonly pieces: readonly BrokenPiece[];
  readonly unplaced: PerKind;
}

export interface BrokenPiece {
  /** How many groups it counts. */
  readonly count: number;
  readonly text: string;
  readonly millisecond: number;
  /** The number of its first line, and of the first one behind it. */
  readonly from: number;
  readonly until: number;
  readonly fault: Fault | undefined;
}

interface BreakOptions {
  readonly rates: PerKind;
  readonly seed?: number;
  readonly deployment?: Deployment;
  readonly foreignRecords?: readonly string[];
  readonly foreignOnly?: readonly RealRecord[];
  readonly slice?: Slice;
  readonly batchSize?: number;
}

export function forEachKind(number: number): PerKind {
  return Object.fromEntries(FAULT_KINDS.map((kind) => [kind, number]));
}

/** Breaks the log of requests; of those, only what a slice needs is given to the injector. */
export async function breakLog(requests: readonly LogRequest[], options: BreakOptions): Promise<BrokenLog> {
  const { rates, seed = 1, deployment = createDeployment(), foreignRecords, foreignOnly, slice, batchSize = 1000 } = options;
  const faults: Fault[] = [];
  const pieces: BrokenPiece[] = [];
  const injector = new FaultInjector({ rates, seed, deployment, foreignRecords, foreignOnly, slice });
  const wide = slice === undefined ? { first: 0, end: requests.length } : widenSlice(slice, requests.length);
  const batches: LogRequest[][] = [];
  for (let from = wide.first; from < wide.end; from += batchSize)
    batches.push(requests.slice(from, Math.min(from + batchSize, wide.end)));
  let groups = 0;
  let from = 1;
  for await (const batch of injector.inject(groupPieces(batches, deployment))) {
    for (const { bytes, count, origin } of batch) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const text = buffer.toString('latin1');
      const until = from + countLines(buffer);
      groups += count;
      // A fault counts once all groups of its piece are there.
      if (injector.takeFaults(groups - 1).length > 0) throw new Error(`a fault before group ${String(groups)}`);
      const [fault] = injector.takeFaults(groups);
      if (fault !== undefined) faults.push(fault);
      pieces.push({ count, text, millisecond: origin.millisecond, from, until, fault });
      from = until;
    }
  }
  return { log: pieces.map(({ text }) => text).join(''), faults, pieces, unplaced: injector.unplaced };
}

/** So many requests with a target each of its own, at the given gaps (in ms), used in turn. */
export function requestsAt(count: number, gaps: readonly number[], start = 1_747_562_400_000): LogRequest[] {
  let millisecond = start;
  return Array.from({ length: count }, (_, index) => {
    millisecond += gaps[index % gaps.length] ?? 0;
    return { millisecond, method: 'GET', target: `/mail/?r=${String(index)}` };
  });
}
