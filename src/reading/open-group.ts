import type { Deprecation, LoadFailure } from '../log/line.js';
import { distanceOf } from './deprecation-instants.js';

/** The greatest distance between two records of a group, in seconds. */
export const MAX_SPAN_SECONDS = 2;

/** A group, with the records that have been read so far. */
export interface Group {
  /** The physical line of its first record. */
  readonly line: number;
  /** In reporting order; a load failure for each plugin in a whole group. */
  readonly failures: readonly LoadFailure[];
  readonly deprecation: Deprecation | undefined;
  /** `whole` once all records have been read, `given-up` once no more are expected. */
  readonly state: 'open' | 'whole' | 'given-up';
}

/** The group of a record. The group of a deprecation record may change until it is given out. */
export interface Membership {
  readonly group: Group | undefined;
}

/** A group that is being put together. */
export class OpenGroup implements Group, Membership {
  readonly line: number;
  readonly first: LoadFailure;
  readonly failures: LoadFailure[];
  /** How many records of the log came before it. */
  readonly recordsBefore: number;
  /** The physical line of its latest load failure. */
  failureLine: number;
  ending: PendingDeprecation | undefined;
  state: 'open' | 'whole' | 'given-up' = 'open';
  /** What may be the rest of this group, a record having been lost between; it counts for itself until this one is given up. */
  rest: { readonly line: number } | undefined;
  /**
   * The latest second (Unix) at which a group has been ended whose deprecation record may be this one's, if each of those between has
   * that of the next one.
   */
  reach: number;

  constructor(first: LoadFailure, line: number, recordsBefore: number) {
    this.first = first;
    this.failures = [first];
    this.line = line;
    this.failureLine = line;
    this.recordsBefore = recordsBefore;
    this.reach = first.second;
  }

  get deprecation(): Deprecation | undefined {
    return this.ending?.deprecation;
  }

  get group(): Group {
    return this;
  }
}

/** A deprecation record, and the group that it ends as far as is known. */
export class PendingDeprecation implements Membership {
  readonly deprecation: Deprecation;
  /** The Unix seconds that it can mean. */
  readonly seconds: readonly number[];
  readonly line: number;
  group: OpenGroup | undefined;

  constructor(deprecation: Deprecation, seconds: readonly number[], line: number) {
    this.deprecation = deprecation;
    this.seconds = seconds;
    this.line = line;
  }

  /** Makes it that of a group. */
  give(group: OpenGroup): void {
    this.group = group;
    group.ending = this;
    group.state = 'whole';
  }

  /** Whether it may be that of a group or a fragment as far as its time goes. */
  mayBeOf(one: Pick<LoadFailure, 'second' | 'localSecond'>): boolean {
    return this.distanceTo(one) <= MAX_SPAN_SECONDS;
  }

  /** How many seconds it is away from a load failure, or something with the same times. */
  distanceTo(failure: Pick<LoadFailure, 'second' | 'localSecond'>): number {
    return distanceOf(this.deprecation, this.seconds, failure);
  }
}

/** Whether two records may be of one group as far as their time goes. */
export function isNear(one: { readonly second: number }, other: { readonly second: number }): boolean {
  return Math.abs(one.second - other.second) <= MAX_SPAN_SECONDS;
}
