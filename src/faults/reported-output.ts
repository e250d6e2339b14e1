import type { Chunk } from '../output/chunk.js';
import { Output } from '../output/destination.js';
import type { FaultReport } from './fault-report.js';

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
