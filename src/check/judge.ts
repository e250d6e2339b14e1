import type { FindingCounts } from '../findings/finding-counts.js';
import { quoted, statement, VALUE, type Statement } from '../findings/finding.js';
import { recordOn } from '../input/log-lines.js';
import { descriptorOf, haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { formatUtcOffset, type Stamp } from '../log/timestamp.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { nameLine } from '../reading/line-places.js';
import type { LogFiles } from '../reading/log-files.js';
import { hasSession, UNKNOWN } from '../reading/record-group.js';
import { hasConstants } from '../reading/whole-group.js';
import { cutText, quoteBytes } from '../wording.js';
import { pluginNameIn, type CheckedEntry, type Constants } from './checked-lines.js';
import { align, isHalfRecord, type Alignment, type Gap } from './gaps.js';
import type { Rule, Violation } from './rules.js';

/** The records of a group, in the order of lines. There is at least one. */
export type Records = readonly CheckedEntry[];

export interface PlacedGroup {
  readonly line: number;
  readonly lastLine: number;
  /** Its stamp and Unix second; undefined for a group whose end is missing. */
  readonly time: (Stamp & { readonly second: number }) | undefined;
}

export interface JudgedGroup extends PlacedGroup {
  readonly records: Records;
  /** The violations of its records: one of each line at most, in the order of lines. */
  readonly violations: readonly Violation[];
  readonly gaps: readonly Gap[];
  /** True for what is not a group: its records are each one too many. */
  readonly isSurplus: boolean;
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
  readonly #zone: Zone;
  readonly #files: LogFiles;
  readonly #counts: FindingCounts<Rule>;

  /** @param counts tells which violations are allowed: they give way to others on their lines */
  constructor(constants: Constants, files: LogFiles, counts: FindingCounts<Rule>) {
    this.#constants = constants;
    this.#files = files;
    this.#counts = counts;
    this.#zone = zoneNamed(constants.timezone);
  }

  judge(records: Records): JudgedGroup {
    const end = this.#constants.plugins.length;
    const line = records[0]?.line ?? 0;
    const lastLine = records.at(-1)?.line ?? line;
    const clean = this.#cleanFailureOf(records);
    if (clean !== undefined) return { line, lastLine, records, violations: [], gaps: [], isSurplus: false, time: clean };
    const places = records.map(({ place }) => place);
    const isSurplus = (records.length === 1 && records[0]?.isRepeated === true) || places.every((place) => place === UNKNOWN);
    const { taken, gaps }: Alignment = isSurplus ? { taken: [], gaps: [] } : align(places, end, this.#constants.recordCount);
    const common = commonFieldsOf(records);
    const hasTime = !isSurplus && (this.#constants.deprecation === undefined || places.includes(end));
    return {
      line,
      lastLine,
      records,
      violations: records.flatMap(
        (_record, index) => firstCounted(this.#judgeRecord(records, index, taken, common), this.#counts) ?? [],
      ),
      gaps: gaps.map((gap) => ({ ...gap, above: records[gap.before - 1]?.line, below: records[gap.before]?.line })),
      isSurplus,
      time: hasTime ? this.#timeOf(records, common) : undefined,
    };
  }

  violatesWhole(groupLine: number, gaps: readonly Gap[]): Violation | undefined {
    const [first] = gaps;
    if (first === undefined) return undefined;
    const names = gaps.flatMap(({ places }) => places).map((place) => this.#nameOf(place));
    const listed = names.map((name) => (name === DEPRECATION ? name : quoteBytes(name))).join(', ');
    const all = this.#constants.recordCount;
    return {
      line: first.below ?? first.above ?? groupLine,
      kind: 'incomplete',
      found: statement(`the group lacks ${cutText(listed, MAX_NAMES_LENGTH)}`, String(all - names.length)),
      expected: statement(`all ${VALUE} records of a request`, String(all)),
      groupLine,
      missing: names,
    };
  }

  /** The first record of a group without a violation, found in a fraction of the time; undefined for any other group. */
  #cleanFailureOf(records: Records): LoadFailure | undefined {
    const first = records[0]?.record;
    if (first?.kind !== 'load_failure' || records.length !== this.#constants.recordCount) return undefined;
    const isClean = records.every(
      ({ record, place, prefix, ending }, index) =>
        place === index &&
        prefix === '' &&
        ending === undefined &&
        record.timestamp === first.timestamp &&
        hasConstants(record, index, this.#constants) &&
        (this.#constants.hasSessions || !hasSession(record)) &&
        (record.kind === 'deprecation' || (record.utcOffset === first.utcOffset && haveSameDescriptor(record, first))),
    );
    return isClean && formatUtcOffset(this.#zone.offsetAt(first.second)) === first.utcOffset ? first : undefined;
  }

  *#judgeRecord(records: Records, index: number, taken: Alignment['taken'], common: CommonFields): Generator<Violation> {
    const entry = records[index];
    if (entry === undefined) return;
    const { openings, failures, deprecation, runtimeTag } = this.#constants;
    const { record, line, place, prefix, ending } = entry;
    const above = records[index - 1]?.record;
    const groupLine = records[0]?.line ?? line;
    const ofGroup = ` of the group of ${nameLine(groupLine, line, this.#files)}`;
    const compare = (kind: Rule, found: string, expected = '', words = `"${VALUE}"`, of = ''): Violation[] =>
      found === expected
        ? []
        : [{ line, kind, found: statement(words, found), expected: statement(words + of, expected), ...(of && { groupLine }) }];
    if (prefix !== '') {
      const expected = statement('a record alone on its line');
      yield { line, kind: 'foreign', found: describePrefix(prefix, openings), expected };
    }
    if (record.kind === 'load_failure' && record.sessionId !== undefined && !this.#constants.hasSessions)
      yield { line, kind: 'session-id', found: quoted(record.sessionId), expected: statement('no session id') };
    yield* this.#judgePlace(entry, taken[index], taken[index - 1]);
    if (record.runtimeTag !== runtimeTag) {
      const found = statement(`the runtime tag "${VALUE}"`, record.runtimeTag);
      yield { line, kind: 'foreign', found, expected: quoted(runtimeTag) };
    }
    // A stamp that an envelope gave is not the webmail's.
    const hasStamp = this.#files.hasOwnStamp(line);
    // Several records in a row that agree with each other are one violation.
    if (hasStamp && record.timestamp !== above?.timestamp)
      yield* compare('timestamp', record.timestamp, common.timestamp, VALUE, ofGroup);
    if (record.kind === 'deprecation') {
      if (hasStamp) yield* compare('timezone', record.timezoneName, this.#constants.timezone);
      yield* compare('path', record.sessionFilePath, deprecation?.sessionFilePath);
      yield* compare('line-number', String(record.lineNumber), String(deprecation?.lineNumber), VALUE);
    } else {
      if (hasStamp) yield* this.#judgeOffset(line, record, common.utcOffset);
      const expected = failures[place] ?? failures[taken[index] ?? 0];
      if (!this.#isUnlisted(entry)) yield* compare('path', record.pluginFilePath, expected?.pluginFilePath);
      yield* compare('path', record.pluginLoaderFilePath, expected?.pluginLoaderFilePath);
      yield* compare('line-number', String(record.lineNumber), String(expected?.lineNumber), VALUE);
      yield* compare('descriptor', descriptorOf(record), common.descriptor, undefined, ofGroup);
    }
    if (ending !== undefined) yield violatesEnding(line, ending);
  }

  /** @param takenAbove the place that the record above takes: the next one, where the two changed places */
  *#judgePlace(entry: CheckedEntry, taken: number | undefined, takenAbove: number | undefined): Generator<Violation> {
    const { line, place, record } = entry;
    const isSwapped = taken !== undefined && takenAbove === taken + 1;
    if (taken === place && !isSwapped) return;
    let name = this.#nameOf(place);
    if (place === UNKNOWN && record.kind === 'load_failure') {
      name = pluginNameIn(record.pluginFilePath);
      // Another path is a violation of `path`.
      if (!this.#isUnlisted(entry) && !this.#isListed(name)) return;
    }
    const [found, expected] = isSwapped
      ? [named(name, ' is out of order'), statement('before the record above')]
      : taken !== undefined
        ? [named(name), named(this.#nameOf(taken))]
        : place === UNKNOWN && !this.#isListed(name)
          ? [named(name, ' is not in the list'), statement('a plugin of the deployment')]
          : [named(name, ' appears twice'), statement(name === DEPRECATION ? 'once per group' : 'once per plugin, in order')];
    yield { line, kind: 'plugin-order', found, expected };
  }

  *#judgeOffset(line: number, { localSecond, timestamp, utcOffset }: LoadFailure, ofGroup: string): Generator<Violation> {
    const valid = this.#zone.instantsOf(localSecond).map((second) => formatUtcOffset(this.#zone.offsetAt(second)));
    const expected = valid.includes(ofGroup) ? [ofGroup] : valid;
    if (expected.includes(utcOffset)) return;
    const words =
      expected.length === 0
        ? statement(`a time of ${this.#constants.timezone}, whose clocks skip ${timestamp}`)
        : statement(`${VALUE} of ${this.#constants.timezone}`, expected.join(' or '));
    yield { line, kind: 'offset', found: statement(VALUE, utcOffset), expected: words };
  }

  /** True for a path of the shape that the deployment gives to plugin files (2.1), of a plugin that is not in the list. */
  #isUnlisted({ place, record }: CheckedEntry): boolean {
    if (place !== UNKNOWN || record.kind !== 'load_failure') return false;
    const [plugin = ''] = this.#constants.plugins;
    const name = pluginNameIn(record.pluginFilePath);
    const listed = this.#constants.failures[0]?.pluginFilePath.split(`/${plugin}/${plugin}.`);
    return name !== '' && !this.#isListed(name) && record.pluginFilePath === listed?.join(`/${name}/${name}.`);
  }

  /** True for a plugin of the deployment: where its place is unknown, the record is of a plugin that was required again. */
  #isListed(name: string): boolean {
    return this.#constants.plugins.includes(name);
  }

  #nameOf(place: number): string {
    return this.#constants.plugins[place] ?? DEPRECATION;
  }

  /** The time of a group: that of its common stamp, or of its clock alone where the zone does not have that offset. */
  #timeOf(records: Records, common: CommonFields): PlacedGroup['time'] {
    const shown = failuresOf(records).find(
      ({ timestamp, utcOffset }) => timestamp === common.timestamp && utcOffset === common.utcOffset,
    );
    if (shown === undefined || !this.#files.hasOwnStamp(records[0]?.line ?? 0)) return shown;
    const instants = this.#zone.instantsOf(shown.localSecond);
    return instants.includes(shown.second) ? shown : { ...shown, second: instants[0] ?? shown.second };
  }
}

const DEPRECATION = 'the deprecation record';

function named(name: string, more = ''): Statement {
  return statement((name === DEPRECATION ? VALUE : `"${VALUE}"`) + more, name);
}

/** States what stands before a record on its line: another record, half a record, or anything else. */
function describePrefix(prefix: string, openings: readonly string[]): Statement {
  const isRecord = recordOn(prefix) !== undefined;
  const what = isRecord ? 'a record without its LF, ' : isHalfRecord(prefix, openings) ? 'half a record, ' : '';
  return statement(`${what}"${VALUE}"${what && ','} stands before the record`, prefix);
}

export function violatesEnding(line: number, ending: 'CR' | 'nothing'): Violation {
  const [found, expected] = ending === 'CR' ? ['CR LF', 'LF alone'] : ['no LF at the end of the log', 'an LF after each record'];
  return { line, kind: 'ending', found: statement(found), expected: statement(expected) };
}

export function firstCounted(violations: Iterable<Violation>, counts: FindingCounts<Rule>): Violation | undefined {
  let first: Violation | undefined;
  for (const violation of violations) {
    if (!counts.isAllowed(violation.kind)) return violation;
    first ??= violation;
  }
  return first;
}

const MAX_NAMES_LENGTH = 200;

function failuresOf(entries: Records): readonly LoadFailure[] {
  return entries.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
}

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
