import type { Deployment } from '../log/deployment.js';
import { Chunk } from '../output/chunk.js';
import { Output } from '../output/destination.js';
import { countOf } from '../wording.js';
import { formatFault, type Fault } from './fault.js';
import { FAULT_KINDS, forEachKind, type PerKind } from './kinds.js';

/** Counts and reports the faults that stand in a log. */
export class FaultReport {
  readonly #deployment: Deployment;
  readonly #output: Output | undefined;
  /** Faults that may not stand in the log yet, each with the number of groups that stand once it does. */
  #coming: { readonly fault: Fault; readonly groups: number }[] = [];
  readonly #counts = forEachKind(0);
  readonly #chunk = new Chunk();

  /** @param output of the report; without it, faults are only counted */
  constructor(deployment: Deployment, output?: Output) {
    this.#deployment = deployment;
    this.#output = output;
  }

  /** Adds a fault that stands in the log once `groups` groups of the run do. */
  add(fault: Fault, groups: number): void {
    this.#coming.push({ fault, groups });
  }

  /**
   * Reports the faults that stand in the log now, to be called after each write to the log.
   *
   * @param groups how many groups of the run stand in the log
   * @throws what writing to the report throws
   */
  async write(groups: number): Promise<void> {
    let text = '';
    let count = 0;
    for (let next = this.#coming[0]; next !== undefined && next.groups <= groups; next = this.#coming[0]) {
      this.#coming.shift();
      this.#counts[next.fault.details.kind] += 1;
      if (this.#output !== undefined) text += formatFault(next.fault, this.#deployment);
      count += 1;
    }
    if (this.#output === undefined || count === 0) return;
    this.#chunk.clear();
    this.#chunk.add({ bytes: Buffer.from(text), count, origin: {} });
    await this.#output.write(this.#chunk);
  }

  /** The number of faults of each kind in the log. */
  get counts(): PerKind {
    return this.#counts;
  }
}

/** Writes to the output of a log, and after each write reports the faults that stand in the log. */
export class ReportedOutput extends Output {
  override readonly mayRecover: boolean;
  readonly #output: Output;
  readonly #report: FaultReport;

  constructor(output: Output, report: FaultReport) {
    super(output.noun);
    this.mayRecover = output.mayRecover;
    this.#output = output;
    this.#report = report;
  }

  override async write(chunk: Chunk, from?: number, until?: number): Promise<void> {
    try {
      await this.#output.write(chunk, from, until);
    } catch (error) {
      // A full disk refuses the report, too. The error of the log is the one to show.
      await this.#reportStanding().catch(() => undefined);
      throw error;
    }
    await this.#reportStanding();
  }

  async #reportStanding(): Promise<void> {
    this.written = this.#output.written;
    this.lastLine = this.#output.lastLine;
    await this.#report.write(this.written);
  }
}

/**
 * Formats the numbers of faults in a log, and the kinds whose rate was not reached: `3 faults: 2 torn, 1 late; …`. One line, no LF.
 *
 * @param unplaced for each kind, the number of hits that no group could have
 */
export function describeFaults(counts: PerKind, unplaced: PerKind): string {
  const total = FAULT_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
  const faults = total === 0 ? 'no faults' : `${countOf(total, 'fault')}: ${listKinds(counts)}`;
  const short = listKinds(unplaced);
  return short === '' ? faults : `${faults}; rate not reached, no group was left for ${short}`;
}

function listKinds(numbers: PerKind): string {
  const present = FAULT_KINDS.filter((kind) => numbers[kind] > 0);
  return present.map((kind) => `${String(numbers[kind])} ${kind}`).join(', ');
}
