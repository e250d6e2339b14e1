import { RunList, type Run } from './run-list.js';

/** Runs that were delivered out of order, until their findings are due. */
export class ReorderedRuns {
  #runs = new RunList();
  /** So many of the first runs have been taken. */
  #taken = 0;
  /** So many of the runs are sorted. */
  #sorted = 0;

  add({ expected, received, length }: Run): void {
    this.#runs.add(expected, received, length);
  }

  /** Takes the runs that came before a received record, in the order in which they came. */
  *takeBefore(record: number): Generator<Run> {
    if (this.#sorted < this.#runs.length) this.#sort();
    for (let run = this.#runs.at(this.#taken); run !== undefined && run.received < record; run = this.#runs.at(this.#taken)) {
      this.#taken += 1;
      yield run;
    }
  }

  #sort(): void {
    this.#runs.removeFirst(this.#taken);
    this.#taken = 0;
    this.#runs.sortByReceived();
    this.#sorted = this.#runs.length;
  }
}
