import type { Deployment } from '../log/deployment.js';
import { formatGroup, type LogRequest } from '../log/group.js';

const SHORTEST = { millisecond: 0, method: 'G', target: '/' };

/** Knows where the records of a deployment's groups start. Looking for their LFs took a fifth of the time that a fault takes. */
export class RecordStarts {
  /** The starts of the records of a group with the shortest descriptor, and last the end of the group. */
  readonly #shortest: readonly number[];

  constructor(deployment: Deployment) {
    let at = 0;
    const lengths = formatGroup(SHORTEST, deployment).split('\n').slice(0, -1);
    this.#shortest = [0, ...lengths.map((record) => (at += record.length + 1))];
  }

  /** The starts of the records of a request's group, and last the end of the group. */
  of({ method, target }: LogRequest): readonly number[] {
    const longer = method.length + target.length - SHORTEST.method.length - SHORTEST.target.length;
    // Each record but the last one has a descriptor.
    const failures = this.#shortest.length - 2;
    return this.#shortest.map((start, index) => start + longer * Math.min(index, failures));
  }
}
