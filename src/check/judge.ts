import type { FindingCounts } from '../findings/finding-counts.js';
import { quoted, statement, VALUE, type Statement } from '../findings/statement.js';
import { descriptorOf, haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { nameLine, type LinePlaces } from '../reading/line-places.js';
import { UNKNOWN } from '../reading/record-group.js';
import { hasConstants } from '../reading/whole-group.js';
import { quoteBytes } from '../wording.js';
import { align, type Alignment } from './align.js';
import { pluginNameIn, type CheckedEntry, type Constants } from './checked-lines.js';
import type { FillGap } from './gap-lines.js';
import { describePrefix } from './prefix.js';
import type { Rule, Violation } from './rules.js';
import type { GroupTime } from './sequence.js';

/** The records of a group, in the order of lines. There is at least one. */
export type Records = readonly CheckedEntry[];

/** The records that are missing from a group. */
type Missing = Alignment['missing'];

/** A group and what is wrong with it. */
export interface JudgedGroup {
  /** Its first line. */
  readonly line: number;
  readonly records: Records;
  /** The violations of its records: one of each line at most, in the order of lines. */
  readonly violations: readonly Violation[];
  readonly missing: Missing;
  /** The time of a group that has ended; undefined for an incomplete group. */
  readonly time: GroupTime | undefined;
}

/** The field values that most records of a group have: those of the group, whatever single records show. */
interface CommonFields {
  readonly timestamp: string;
  readonly utcOffset: string;
  readonly descriptor: string;
}

/** Compares groups with a deployment and the specification (2.1 to 2.3, 6, 7). */
export class Judge {
  readonly #constants: Constants;
  readonly #timezone: string;
  readonly #zone: Zone;
  readonly #places: LinePlaces;
  readonly #counts: FindingCounts<Rule>;

  /** @param counts tells which violations are allowed: they give way to others on their lines */
  constructor(constants: Constants, places: LinePlaces, counts: FindingCounts<Rule>) {
    this.#constants = constants;
    this.#places = places;
    this.#counts = counts;
    this.#timezone = constants.deprecation.timezoneName;
    this.#zone = zoneNamed(this.#timezone);
  }

  /** Finds the violations of a group. */
  judge(records: Records): JudgedGroup {
    const clean = this.#judgeClean(records);
    if (clean !== undefined) return clean;
    const places = records.map(({ place }) => place);
    const { taken, missing } = isSurplus(records) ? ALL_SURPLUS : align(places, this.#constants.plugins.length);
    const common = commonFieldsOf(records);
    const violations = records.flatMap(
      (_, index) => firstCounted(this.#judgeRecord(records, index, taken, common), this.#counts) ?? [],
    );
    const isEnded = records.some(({ record }) => record.kind === 'deprecation');
    const isMostlyWhole = isEnded && missing.length < records.length;
    const time = isMostlyWhole ? this.#timeOf(records, common) : undefined;
    return { line: firstLineOf(records), records, violations, missing, time };
  }

  /** The records that are missing from a group where no line stands in for them. */
  findUnfilled({ records, missing }: JudgedGroup, fillGap: FillGap): Missing {
    let gap = { before: -1, isFilled: false };
    return missing.filter(({ before }) => {
      // A line stands in for all records that are missing between two.
      if (gap.before !== before)
        gap = { before, isFilled: fillGap({ above: records[before - 1]?.line, below: records[before]?.line }) };
      return !gap.isFilled;
    });
  }

  /** The violation of a group that is missing records; undefined for none. */
  violatesWhole({ line: groupLine, records }: JudgedGroup, missing: Missing): Violation | undefined {
    const [first] = missing;
    if (first === undefined) return undefined;
    const line = (records[first.before] ?? records.at(-1))?.line ?? groupLine;
    const names = missing.map(({ place }) => this.#nameOf(place));
    const listed = names.map((name) => (name === DEPRECATION ? name : quoteBytes(name))).join(', ');
    const all = this.#constants.recordCount;
    const found = statement(`the group lacks ${shorten(listed)}`, String(all - missing.length));
    const expected = statement(`all ${VALUE} records of a request`, String(all));
    return { line, kind: 'incomplete', found, expected, groupLine, missing: names };
  }

  /** True for at least half of the records of a group, so that it counts as one. */
  isMostOfGroup(entries: Records): boolean {
    return !isSurplus(entries) && 2 * entries.length > this.#constants.plugins.length;
  }

  /** Judges a group without a violation, in a fraction of the time; undefined for any other. */
  #judgeClean(records: Records): JudgedGroup | undefined {
    const first = records[0]?.record;
    if (first?.kind !== 'load_failure' || records.length !== this.#constants.recordCount) return undefined;
    const { timestamp, utcOffset, second } = first;
    const isClean = records.every(
      ({ record, place, prefix, ending }, index) =>
        place === index &&
        prefix === '' &&
        ending === undefined &&
        record.timestamp === timestamp &&
        hasConstants(record, index, this.#constants) &&
        (record.kind === 'deprecation' || (record.utcOffset === utcOffset && haveSameDescriptor(record, first))),
    );
    if (!isClean || formatUtcOffset(this.#zone.offsetAt(second)) !== utcOffset) return undefined;
    const line = firstLineOf(records);
    return { line, records, violations: [], missing: [], time: { line, timestamp, utcOffset, second } };
  }

  /** Finds the violations of a record of a group, in the order of the rules. */
  *#judgeRecord(records: Records, index: number, taken: Alignment['taken'], common: CommonFields): Generator<Violation> {
    const entry = records[index];
    if (entry === undefined) return;
    const { openings, deprecation } = this.#constants;
    const { record, line, prefix, ending } = entry;
    const { timestamp, runtimeTag } = record;
    const groupLine = firstLineOf(records);
    const before = records[index - 1]?.record;
    const ofGroup = (value: string): string => `${value} of the group of ${nameLine(groupLine, line, this.#places)}`;
    if (prefix !== '') {
      const expected = statement('a record alone on its line');
      yield { line, kind: 'foreign', found: describePrefix(prefix, openings), expected };
    }
    yield* this.#judgePlace(entry, taken[index], taken[index - 1]);
    if (runtimeTag !== deprecation.runtimeTag) {
      const found = statement(`the runtime tag "${VALUE}"`, runtimeTag);
      yield { line, kind: 'foreign', found, expected: quoted(deprecation.runtimeTag) };
    }
    // Several records in a row that agree with each other are one violation.
    if (timestamp !== common.timestamp && timestamp !== before?.timestamp) {
      const expected = statement(ofGroup(VALUE), common.timestamp);
      yield { line, kind: 'timestamp', found: statement(VALUE, timestamp), expected, groupLine };
    }
    if (record.kind === 'load_failure') yield* this.#judgeOffset(line, record, common);
    else if (record.timezoneName !== this.#timezone)
      yield { line, kind: 'timezone', found: quoted(record.timezoneName), expected: quoted(this.#timezone) };
    yield* this.#judgePaths(entry, taken[index]);
    if (record.kind === 'load_failure') {
      const descriptor = descriptorOf(record);
      if (descriptor !== common.descriptor) {
        const expected = statement(ofGroup(`"${VALUE}"`), common.descriptor);
        yield { line, kind: 'descriptor', found: quoted(descriptor), expected, groupLine };
      }
    }
    if (ending !== undefined) yield violatesEnding(line, ending);
  }

  /** @param takenBefore the place that the record above takes: the next one, where the two changed places */
  *#judgePlace(
    { line, place, record }: CheckedEntry,
    taken: number | undefined,
    takenBefore: number | undefined,
  ): Generator<Violation> {
    const isSwapped = taken !== undefined && takenBefore === taken + 1;
    if (taken === place && !isSwapped) return;
    const path = place === UNKNOWN && record.kind === 'load_failure' ? record.pluginFilePath : undefined;
    if (path !== undefined && !this.#isPluginPath(path)) return;
    const name = path === undefined ? this.#nameOf(place) : pluginNameIn(path);
    const [found, expected] = isSwapped
      ? [named(name, ' is out of order'), statement('before the record above')]
      : taken === undefined
        ? path !== undefined
          ? [named(name, ' is not in the list'), statement('a plugin of the deployment')]
          : [named(name, ' appears twice'), statement(name === DEPRECATION ? 'once per group' : 'once per plugin, in order')]
        : [named(name), named(this.#nameOf(taken))];
    yield { line, kind: 'plugin-order', found, expected };
  }

  *#judgeOffset(line: number, failure: LoadFailure, common: CommonFields): Generator<Violation> {
    const { utcOffset: ofGroup } = common;
    const valid = this.#zone.instantsOf(failure.localSecond).map((second) => formatUtcOffset(this.#zone.offsetAt(second)));
    const isOfGroup = failure.timestamp !== common.timestamp || failure.utcOffset === ofGroup || !valid.includes(ofGroup);
    if (valid.includes(failure.utcOffset) && isOfGroup) return;
    const value = valid.includes(ofGroup) ? ofGroup : valid.join(' or ');
    const expected =
      value === ''
        ? statement(`a time of ${this.#timezone}, whose clocks skip ${failure.timestamp}`)
        : statement(`${VALUE} of ${this.#timezone}`, value);
    yield { line, kind: 'offset', found: statement(VALUE, failure.utcOffset), expected };
  }

  *#judgePaths({ line, record, place }: CheckedEntry, taken: number | undefined): Generator<Violation> {
    const { failures, deprecation } = this.#constants;
    const expected = failures[place] ?? failures[taken ?? 0];
    const paths: (readonly [found: string, expected: string | undefined])[] = [];
    if (record.kind === 'deprecation') {
      paths.push([record.sessionFilePath, deprecation.sessionFilePath]);
    } else {
      const isListed = place !== UNKNOWN || !this.#isPluginPath(record.pluginFilePath);
      if (isListed) paths.push([record.pluginFilePath, expected?.pluginFilePath]);
      paths.push([record.pluginLoaderFilePath, expected?.pluginLoaderFilePath]);
    }
    for (const [path, written = ''] of paths)
      if (path !== written) yield { line, kind: 'path', found: quoted(path), expected: quoted(written) };
    const lineNumber = String((record.kind === 'deprecation' ? deprecation : expected)?.lineNumber);
    const found = String(record.lineNumber);
    if (found !== lineNumber)
      yield { line, kind: 'line-number', found: statement(VALUE, found), expected: statement(VALUE, lineNumber) };
  }

  /** True for a path of the shape that the deployment gives to plugin files (2.1), with any plugin name. */
  #isPluginPath(path: string): boolean {
    const { plugins, failures } = this.#constants;
    const [plugin = ''] = plugins;
    const name = pluginNameIn(path);
    return name !== '' && path === failures[0]?.pluginFilePath.split(`/${plugin}/${plugin}.`).join(`/${name}/${name}.`);
  }

  #nameOf(place: number): string {
    return this.#constants.plugins[place] ?? DEPRECATION;
  }

  /** The time of a group: the instant that its common offset gives, if the zone has that offset then. */
  #timeOf(entries: Records, { timestamp, utcOffset }: CommonFields): GroupTime | undefined {
    const first = failuresOf(entries).find((failure) => failure.timestamp === timestamp);
    if (first === undefined) return undefined;
    const instants = this.#zone.instantsOf(first.localSecond);
    const shown = instants.find((second) => formatUtcOffset(this.#zone.offsetAt(second)) === utcOffset);
    return { line: firstLineOf(entries), timestamp, utcOffset, second: shown ?? instants[0] ?? first.second };
  }
}

/** The alignment of records that are all too many. */
const ALL_SURPLUS: Alignment = { taken: [], missing: [] };

/** The name of the deprecation record among plugin names, which have no spaces. */
const DEPRECATION = 'the deprecation record';

/** The statement that names a record. */
function named(name: string, more = ''): Statement {
  return statement((name === DEPRECATION ? VALUE : `"${VALUE}"`) + more, name);
}

/** The violation of a line that ends in CR LF, or in nothing. */
export function violatesEnding(line: number, ending: 'CR' | 'nothing'): Violation {
  const [found, expected] = ending === 'CR' ? ['CR LF', 'LF alone'] : ['no LF at the end of the log', 'an LF after each record'];
  return { line, kind: 'ending', found: statement(found), expected: statement(expected) };
}

/** The violation of a line that counts: of several the first whose rule is not allowed, else the first. */
export function firstCounted(violations: Iterable<Violation>, counts: FindingCounts<Rule>): Violation | undefined {
  let first: Violation | undefined;
  for (const violation of violations) {
    if (!counts.isAllowed(violation.kind)) return violation;
    first ??= violation;
  }
  return first;
}

const MAX_NAMES_LENGTH = 200;

function shorten(text: string): string {
  return text.length <= MAX_NAMES_LENGTH ? text : `${text.slice(0, MAX_NAMES_LENGTH)}…`;
}

/** True for what is no group at all: its records are each one too many. */
export function isSurplus(entries: Records): boolean {
  const [first, ...more] = entries;
  return (more.length === 0 && first?.isRepeated === true) || entries.every(({ place }) => place === UNKNOWN);
}

function firstLineOf([first]: Records): number {
  return first?.line ?? 0;
}

/** The load failures among the records of a group, in order. */
function failuresOf(entries: Records): readonly LoadFailure[] {
  return entries.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
}

/** Finds the common fields of a group's records. */
function commonFieldsOf(entries: Records): CommonFields {
  const failures = failuresOf(entries);
  return {
    timestamp: mostFrequent(entries.map(({ record }) => record.timestamp)),
    utcOffset: mostFrequent(failures.map(({ utcOffset }) => utcOffset)),
    descriptor: mostFrequent(failures.map(descriptorOf)),
  };
}

/** The most frequent text; of equally frequent texts the first; empty for none. */
function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  let best = '';
  for (const [text, count] of counts) if (count > (counts.get(best) ?? 0)) best = text;
  return best;
}
