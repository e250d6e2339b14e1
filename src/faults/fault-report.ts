import type { Deployment } from '../log/deployment.js';
import { Packet } from '../output/packet.js';
import { Output } from '../output/destination.js';
import { countOf } from '../wording.js';
import { formatFault, type Fault } from './fault.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from './kinds.js';

/** Writes a log, and after each write counts and reports the faults that are in the log. */
export class ReportedOutput extends Output {
  override readonly mayRecover: boolean;
  /** The number of faults of each kind in the log. */
  readonly counts: Partial<Record<FaultKind, number>> = {};
  readonly #log: Output;
  readonly #deployment: Deployment;
  readonly #report: Output | undefined;
  /** Faults that may not be in the log yet, each with the number of groups in the log once the fault is. */
  readonly #pending: { readonly fault: Fault; readonly groups: number }[] = [];
  readonly #packet = new Packet();

  /** @param report the output of the report; left out, faults are only counted */
  constructor(log: Output, deployment: Deployment, report?: Output) {
    super(log.noun);
    this.mayRecover = log.mayRecover;
    this.#log = log;
    this.#deployment = deployment;
    this.#report = report;
  }

  /** Adds a fault that is in the log once `groups` groups of the run are. */
  add(fault: Fault, groups: number): void {
    this.#pending.push({ fault, groups });
  }

  /** Writes to the log, then to the report. @throws what either write throws */
  override async write(packet: Packet): Promise<void> {
    try {
      await this.#log.write(packet);
    } catch (error) {
      // On a full disk the report fails too; the error of the log is thrown.
      await this.#reportWritten().catch(() => undefined);
      throw error;
    }
    await this.#reportWritten();
  }

  async #reportWritten(): Promise<void> {
    this.written = this.#log.written;
    this.last = this.#log.last;
    const later = this.#pending.findIndex(({ groups }) => groups > this.written);
    const inLog = this.#pending.splice(0, later === -1 ? this.#pending.length : later);
    for (const { kind } of inLog.map(({ fault }) => fault.details)) this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (this.#report === undefined || inLog.length === 0) return;
    const text = inLog.map(({ fault }) => formatFault(fault, this.#deployment)).join('');
    this.#packet.clear();
    this.#packet.add({ bytes: Buffer.from(text), count: inLog.length, origin: {} });
    await this.#report.write(this.#packet);
  }
}

/**
 * Formats the counts of faults, and the kinds whose rate was not reached: `3 faults: 2 torn, 1 late; …`. The text is one line, without an LF.
 *
 * @param unplaced for each kind, the number of hits without a suitable group
 */
export function describeFaults(counts: PerKind, unplaced: PerKind): string {
  const total = FAULT_KINDS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  const faults = total === 0 ? 'no faults' : `${countOf(total, 'fault')}: ${listKinds(counts)}`;
  const short = listKinds(unplaced);
  return short === '' ? faults : `${faults}; rate not reached: no suitable group for ${short}`;
}

function listKinds(numbers: PerKind): string {
  return FAULT_KINDS.flatMap((kind) => (numbers[kind] === undefined ? [] : [`${String(numbers[kind])} ${kind}`])).join(', ');
}
