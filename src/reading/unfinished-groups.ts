import { descriptorOf, haveSameDescriptor, type LoadFailure } from '../log/line.js';
import type { Entry } from './entry.js';
import { FailingGroups } from './failing-groups.js';
import { MAX_SPAN_SECONDS, type OpenGroup } from './open-group.js';

/** A group that misses more records in a row than this goes on as another one, which `mend` joins to it. */
const MAX_GAP = 16;

/**
 * Groups that wait for a load failure. The failure joins the oldest group of its descriptor that waits for its plugin. One that fits
 * nowhere is of a broken group: it joins the group of its descriptor that waits for an earlier plugin.
 */
export class UnfinishedGroups<E extends Entry> {
  readonly #sound = new FailingGroups<E>();
  readonly #broken = new FailingGroups<E>();
  /** Groups whose only record repeats that of the line before. */
  readonly #repeats = new FailingGroups<E>();

  add(group: OpenGroup<E>): void {
    this.#shelfOf(group).add(group);
  }

  remove(group: OpenGroup<E>): void {
    this.#shelfOf(group).remove(group);
  }

  /**
   * The group that a load failure of a later plugin joins.
   *
   * @param latest the group of the record before
   * @param isRepeated true for a record that stands on the line before, too
   */
  find(entry: E, failure: LoadFailure, latest: OpenGroup<E> | undefined, isRepeated: boolean): OpenGroup<E> | undefined {
    const descriptor = descriptorOf(failure);
    return (
      this.#findSound(entry, failure, descriptor) ??
      findBehind(entry, failure, latest) ??
      this.#broken.findNext(failure, descriptor, entry.place) ??
      (isRepeated ? undefined : this.#findGap(failure, descriptor, entry.place))
    );
  }

  /**
   * The oldest sound group that waits for a load failure. A group whose only record repeats that of the line before may be no group but
   * a record too many: it comes last, unless it would miss its deadline.
   */
  #findSound({ place, line }: E, failure: LoadFailure, descriptor: string): OpenGroup<E> | undefined {
    const group = this.#sound.findNext(failure, descriptor, place);
    const repeat = this.#repeats.findNext(failure, descriptor, place);
    if (group === undefined || repeat === undefined) return group ?? repeat;
    const isLate = repeat.second <= failure.second - MAX_SPAN_SECONDS;
    return isLate && group.lastLine !== line - 1 ? repeat : group;
  }

  /** The group that waits for the plugin next before a failure's own: records between are missing. */
  #findGap(failure: LoadFailure, descriptor: string, place: number): OpenGroup<E> | undefined {
    const least = Math.max(1, place - MAX_GAP);
    for (let before = place - 1; before >= least; before -= 1) {
      const group = this.#sound.findNext(failure, descriptor, before) ?? this.#broken.findNext(failure, descriptor, before);
      if (group !== undefined) return group;
    }
    return undefined;
  }

  #shelfOf({ isBroken, isRepeat, failures }: OpenGroup<E>): FailingGroups<E> {
    if (isBroken) return this.#broken;
    return isRepeat && failures.length === 1 ? this.#repeats : this.#sound;
  }
}

/** The group of the record on the line before, if that waits for a load failure of this descriptor: only the time is another. */
function findBehind<E extends Entry>(
  { place, line }: E,
  failure: LoadFailure,
  latest: OpenGroup<E> | undefined,
): OpenGroup<E> | undefined {
  if (latest?.state !== 'open' || latest.next !== place || latest.lastLine !== line - 1) return undefined;
  const first = latest.firstFailure;
  return first !== undefined && haveSameDescriptor(first, failure) ? latest : undefined;
}
