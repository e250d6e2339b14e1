import type { Deployment } from '../log/deployment.js';
import { drawOne, startDrawing, type Draw } from '../requests/draws.js';
import { alter } from './alter.js';
import type { Change, Splice } from './fault.js';
import { findFailedLogin } from './foreign/failed-login.js';
import { fitRecord } from './foreign/fit-record.js';
import { drawRealRecords, formatBurstLogin } from './foreign/real-records.js';
import type { HeldGroup } from './held-group.js';
import type { Hit } from './hits.js';
import { interleave, reachOfInterleave } from './interleave.js';
import type { FaultKind } from './kinds.js';
import { makeLate, reachOfLate } from './late.js';
import { findCandidates, type Reach } from './reach.js';
import { addGarbage, drop, duplicate, endInCrlf, swap, tear } from './record-changes.js';
import { Scratch } from './scratch.js';

const CHANGES = [0x165667b1, 0xd3a2646c] as const;

/** A fault made of some groups. */
interface MadeFault {
  readonly change: Change;
  /** The bytes that take the place of the groups; valid until the next fault is made. */
  readonly bytes: Uint8Array;
}

/** Makes faults of hits and of the groups that they are due at. */
export class FaultMaker {
  readonly #seed: number;
  readonly #deployment: Deployment;
  readonly #foreignRecords: readonly string[] | undefined;
  readonly #scratch = new Scratch(1);

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
  make(hit: Hit, groups: readonly [HeldGroup, ...HeldGroup[]]): MadeFault {
    const { kind } = hit;
    const draw = startDrawing(CHANGES, this.#seed, hit.drawnFor);
    if (kind === 'late' || kind === 'interleave') {
      const change = kind === 'late' ? makeLate(groups) : interleave(groups, draw);
      return { change, bytes: this.#scratch.join(change.parts) };
    }
    const [group] = groups;
    const change = this.#splice(kind, group, hit, draw);
    return { change, bytes: this.#scratch.splice(group.bytes, change.from, change.until, change.put) };
  }

  #splice(kind: Exclude<FaultKind, 'late' | 'interleave'>, group: HeldGroup, hit: Hit, draw: Draw): Splice {
    switch (kind) {
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
      case 'foreign':
        return this.#addForeign(group, hit, draw);
      case 'garbage':
        return addGarbage(group, draw);
      case 'crlf':
        return endInCrlf(group, draw);
    }
  }

  #addForeign({ request, stamp, count, size }: HeldGroup, { burst }: Hit, draw: Draw): Splice {
    const before = { request, stamp, deployment: this.#deployment };
    const added =
      this.#foreignRecords !== undefined
        ? fitRecord(drawOne(this.#foreignRecords, draw), before)
        : burst !== undefined
          ? formatBurstLogin(before, this.#seed, burst)
          : drawRealRecords(before, draw);
    const touched = 1 + countLineFeeds(added);
    const details = { kind: 'foreign', login: findFailedLogin(added) } as const;
    return { from: size, until: size, put: `${added}\n`, lineCount: count + touched, at: count, touched, details };
  }
}

function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
