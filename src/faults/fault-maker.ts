import type { Deployment } from '../log/deployment.js';
import { drawOne, startDrawing, type Draw } from '../requests/draws.js';
import { alter } from './alter.js';
import type { Change } from './fault.js';
import { findFailedLogin } from './foreign/failed-login.js';
import { fitRecord } from './foreign/fit-record.js';
import { drawRealRecords, formatBurstLogin } from './foreign/real-records.js';
import type { HeldGroup } from './held-group.js';
import type { Hit } from './hits.js';
import { interleave, reachOfInterleave } from './interleave.js';
import { makeLate, reachOfLate } from './late.js';
import { findCandidates, type Reach } from './reach.js';
import { addGarbage, drop, duplicate, endInCrlf, swap, tear } from './record-changes.js';

const CHANGES = [0x165667b1, 0xd3a2646c] as const;

/** Makes faults of hits and of the groups that they are due at. */
export class FaultMaker {
  readonly #seed: number;
  readonly #deployment: Deployment;
  readonly #foreignRecords: readonly string[] | undefined;

  /** @param foreignRecords the records that `foreign` takes; left out, those of the real software */
  constructor(seed: number, deployment: Deployment, foreignRecords: readonly string[] | undefined) {
    this.#seed = seed;
    this.#deployment = deployment;
    this.#foreignRecords = foreignRecords;
  }

  /**
   * Says how many groups a hit takes that is due at the first of those held.
   *
   * @param isComplete true if the hit can take no group that comes later
   */
  reach({ kind, writers }: Hit, held: readonly HeldGroup[], isComplete: boolean): Reach {
    if (kind === 'late') return reachOfLate(findCandidates(held, isComplete));
    if (kind === 'interleave') return reachOfInterleave(findCandidates(held, isComplete), writers);
    return 1;
  }

  /** Makes a fault of a hit and of the groups that it takes. */
  make(hit: Hit, groups: readonly [HeldGroup, ...HeldGroup[]]): Change {
    const [group] = groups;
    const draw = startDrawing(CHANGES, this.#seed, hit.drawnFor);
    switch (hit.kind) {
      case 'torn':
        return tear(group, draw);
      case 'missing':
        return drop(group, draw);
      case 'duplicate':
        return duplicate(group, draw);
      case 'swapped':
        return swap(group, draw);
      case 'altered':
        return alter(group, this.#deployment, draw);
      case 'late':
        return makeLate(groups);
      case 'interleave':
        return interleave(groups, draw);
      case 'foreign':
        return this.#addForeign(group, hit, draw);
      case 'garbage':
        return addGarbage(group, draw);
      case 'crlf':
        return endInCrlf(group, draw);
    }
  }

  #addForeign({ request, stamp, count, bytes }: HeldGroup, { burst }: Hit, draw: Draw): Change {
    const deployment = this.#deployment;
    const group = { request, deployment, stamp };
    const added =
      this.#foreignRecords !== undefined
        ? fitRecord(drawOne(this.#foreignRecords, draw), group)
        : burst !== undefined
          ? formatBurstLogin(group, this.#seed, burst)
          : drawRealRecords(group, draw);
    const touched = added.split('\n').length;
    return {
      parts: [bytes, `${added}\n`],
      lineCount: count + touched,
      at: count,
      touched,
      details: { kind: 'foreign', login: findFailedLogin(added) },
    };
  }
}
