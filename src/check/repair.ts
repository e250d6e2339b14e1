import { haveSameDescriptor } from '../log/line.js';
import { Grouper } from '../reading/grouper.js';
import { isNear } from '../reading/record-group.js';
import type { CheckedEntry } from './checked-lines.js';
import type { FillGap } from './gap-lines.js';
import type { Judge, JudgedGroup, Records } from './judge.js';

/** The broken groups behind a broken one that may be parts of it. */
const MAX_PARTS = 24;

/** A record that differs in its time stands at most this many lines from the others of its group. */
const REACH_LINES = 64;

/** The most unions of broken groups that are judged in a stretch, beside one for each group: judging is what takes the time. */
const MAX_JUDGED = 64;

/** A gap that a foreign line fills is better than a violation, and worse than none. */
const FILLED_COST = 0.5;

/** A group that is missing a record or has one too many. */
interface Broken {
  readonly judged: JudgedGroup;
  readonly cost: number;
}

/** A broken group with a part of it that stands at an index, and the number of violations fewer that they have as one. */
interface Joined extends Broken {
  readonly index: number;
  readonly drop: number;
}

/**
 * Puts the records of a stretch of groups together again, so that they have few violations, each where its fault is.
 *
 * The groups of a log are found oldest first, which is exact where no record is missing; a record that is missing moves to the end of
 * the stretch. Nearest first, it stays where it is. Then parts of broken groups are joined.
 */
export class Repair {
  readonly #judge: Judge;
  /** The number of plugins. */
  readonly #end: number;
  /** The number of unions of broken groups that may yet be judged in the stretch. */
  #unionsLeft = 0;

  constructor(judge: Judge, plugins: number) {
    this.#judge = judge;
    this.#end = plugins;
  }

  /** The groups of a stretch, in no order. */
  repair(groups: readonly Records[], canFill: FillGap): readonly JudgedGroup[] {
    const whole: JudgedGroup[] = [];
    const broken: (Broken | undefined)[] = [];
    for (const records of this.#giveRepeats(this.#regroup(groups))) {
      if (records.length > this.#end) whole.push(this.#judge.judge(records));
      else broken.push(this.#judgeCost(records, canFill));
    }
    this.#join(broken, canFill);
    return [...whole, ...broken.flatMap((group) => group?.judged ?? [])];
  }

  /** Groups records, each with those of the nearest second. */
  #regroup(groups: readonly Records[]): Records[] {
    const grouper = new Grouper<CheckedEntry>(this.#end, 'nearest');
    for (const entry of groups.flat().sort(byLine)) grouper.add(entry);
    grouper.giveUp();
    const again: Records[] = [];
    for (let group = grouper.next(); group !== undefined; group = grouper.next()) again.push(group.entries);
    return again;
  }

  /** Takes repeats out of groups: of a record that stands twice, the group that goes on behind it keeps the first. */
  #giveRepeats(groups: readonly Records[]): readonly Records[] {
    const given = [...groups];
    const byLastLine = new Map(given.map((records, index) => [records.at(-1)?.line, index]));
    for (const [index, [repeat, ...rest]] of given.entries()) {
      if (repeat?.isRepeated !== true || rest.length === 0) continue;
      const before = byLastLine.get(repeat.line - 1);
      const records = before === undefined ? undefined : given[before];
      if (before === undefined || records?.at(-1)?.place !== repeat.place) continue;
      given[before] = [...records, ...rest];
      given[index] = [repeat];
    }
    return given;
  }

  /** Judges a group, and counts its violations; gaps that foreign lines fill count too, since a line fills only one. */
  #judgeCost(records: Records, canFill: FillGap): Broken {
    const judged = this.#judge.judge(records);
    let filled = 0;
    const unfilled = this.#judge.findUnfilled(judged, (gap) => {
      const isFilled = canFill(gap);
      if (isFilled) filled += 1;
      return isFilled;
    });
    return { judged, cost: judged.violations.length + Math.min(unfilled.length, 1) + filled * FILLED_COST };
  }

  /** Joins broken groups with those behind them, as long as that leaves fewer violations. */
  #join(broken: (Broken | undefined)[], canFill: FillGap): void {
    this.#unionsLeft = MAX_JUDGED + broken.length;
    // First parts of one time: a record must not be taken for one of another time that its own group lacks.
    for (const near of [true, false]) {
      for (const index of broken.keys()) {
        const findPart = (): Joined | undefined => this.#findPart(broken, index, near, canFill);
        for (let best = findPart(); best !== undefined; best = findPart()) {
          broken[best.index] = undefined;
          broken[index] = best;
        }
      }
    }
  }

  /**
   * The broken group behind one that, joined to it, leaves the fewest violations; the first of several.
   *
   * @param near true for those near in time, false for a single record that is near in lines alone
   */
  #findPart(broken: readonly (Broken | undefined)[], index: number, near: boolean, canFill: FillGap): Joined | undefined {
    const group = broken[index];
    if (group === undefined) return undefined;
    const { records } = group.judged;
    let best: Joined | undefined;
    let looks = 0;
    for (let other = index + 1; other < broken.length && looks < MAX_PARTS; other += 1) {
      const part = broken[other];
      if (part === undefined) continue;
      looks += 1;
      const ofPart = part.judged.records;
      if (areNear(records, ofPart) !== near || !this.#mayBeOne(records, ofPart, near)) continue;
      if (this.#unionsLeft === 0) return best;
      this.#unionsLeft -= 1;
      const joined = this.#judgeCost([...records, ...ofPart].sort(byLine), canFill);
      const drop = group.cost + part.cost - joined.cost;
      if (drop > (best?.drop ?? 0)) best = { ...joined, index: other, drop };
    }
    return best;
  }

  /**
   * True for parts that are near each other in time or, a single record, in lines, if together they have one record too many at most, and
   * none if one is missing.
   */
  #mayBeOne(records: Records, part: Records, near: boolean): boolean {
    const distance = distanceBetween(records, part);
    const isAlone = records.length === 1 || part.length === 1;
    if (!near && !(isAlone && distance <= REACH_LINES)) return false;
    if (!isAlone && !areAlike(records, part) && distance > 1) return false;
    const surplus = part.filter(({ place }) => records.some((entry) => entry.place === place)).length;
    const isMissing = records.length + part.length <= this.#end;
    return surplus <= (isMissing ? 0 : 1);
  }
}

function byLine(entry: CheckedEntry, other: CheckedEntry): number {
  return entry.line - other.line;
}

/** The number of lines between two parts; 0 where they overlap. */
function distanceBetween(records: Records, part: Records): number {
  const [first, last] = [records[0]?.line ?? 0, records.at(-1)?.line ?? 0];
  const [firstOfPart, lastOfPart] = [part[0]?.line ?? 0, part.at(-1)?.line ?? 0];
  return Math.max(0, firstOfPart - last, first - lastOfPart);
}

/** True for parts that begin near each other by the clock. */
function areNear([first]: Records, [other]: Records): boolean {
  return first !== undefined && other !== undefined && isNear(first.record.localSecond, other.record.localSecond);
}

/** True for parts of one descriptor, and for a deprecation record. */
function areAlike([first]: Records, [other]: Records): boolean {
  if (first?.record.kind !== 'load_failure' || other?.record.kind !== 'load_failure') return true;
  return haveSameDescriptor(first.record, other.record);
}
