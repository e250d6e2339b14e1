import type { FindingCounts } from '../findings/finding-counts.js';
import { quoted, statement, VALUE, type Statement } from '../findings/finding.js';
import { recordOn } from '../input/log-lines.js';
import { descriptorOf, haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { pluginFilePathOf } from '../log/record.js';
import { formatUtcOffset, type Stamp } from '../log/timestamp.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { nameLine } from '../reading/line-places.js';
import type { LogFiles } from '../reading/log-files.js';
import { UNKNOWN } from '../reading/record-group.js';
import { cutText, quoteBytes } from '../wording.js';
import { pluginNameIn, type CheckedEntry, type Constants } from './checked-lines.js';
import { align, isHalfRecord, type Alignment, type Gap } from './gaps.js';
import type { Rule, Violation } from './rules.js';

export type Records = readonly CheckedEntry[];

export interface PlacedGroup {
  readonly line: number;
  readonly lastLine: number;
  readonly time: (Stamp & { readonly second: number }) | undefined;
}

export interface JudgedGroup extends PlacedGroup {
  readonly records: Records;
  readonly violations: readonly Violation[];
  readonly gaps: readonly Gap[];
  /** True for what is not a group: its records are each one too many. */
  readonly isSurplus: boolean;
}

/** The rules of a stamp: one that an envelope gave is not the webmail's. */
const STAMP_RULES: ReadonlySet<Rule> = new Set<Rule>(['timestamp', 'timezone', 'offset']);

/** Compares groups with a deployment and the specification (2.1 to 2.3, 6, 7). */
export class Judge {
  readonly #zone: Zone;

  constructor(
    private readonly constants: Constants,
    private readonly files: LogFiles,
    private readonly counts: FindingCounts<Rule>,
  ) {
    this.#zone = zoneNamed(constants.site.timezone);
  }

  judge(records: Records): JudgedGroup {
    const { failures, deprecation, recordCount } = this.constants;
    const line = records[0]?.line ?? 0;
    const lastLine = records.at(-1)?.line ?? line;
    const places = records.map(({ place }) => place);
    const uniform = records.length === recordCount ? uniformFailureOf(records) : undefined;
    if (uniform !== undefined && this.#isOfZone(uniform)) {
      const violations = this.#judgeRecords(records, places, uniform);
      return { line, lastLine, records, violations, gaps: [], isSurplus: false, time: uniform };
    }
    const isSurplus = (records.length === 1 && records[0]?.isRepeated === true) || places.every((place) => place === UNKNOWN);
    const { taken, gaps }: Alignment = isSurplus ? { taken: [], gaps: [] } : align(records, failures.length, recordCount);
    const common = commonFieldsOf(records);
    const hasTime = !isSurplus && (deprecation === undefined || places.includes(failures.length));
    const violations = this.#judgeRecords(records, taken, common);
    return { line, lastLine, records, violations, gaps, isSurplus, time: hasTime ? this.#timeOf(records, common) : undefined };
  }

  violatesWhole(groupLine: number, gaps: readonly Gap[]): readonly Violation[] {
    const [first] = gaps;
    if (first === undefined) return [];
    const missing = gaps.flatMap(({ places }) => places).map((place) => this.#nameOf(place));
    const listed = missing.map((name) => (name === DEPRECATION ? name : quoteBytes(name))).join(', ');
    const all = this.constants.recordCount;
    const found = statement(`the group lacks ${cutText(listed, MAX_NAMES_LENGTH)}`, String(all - missing.length));
    const expected = statement(`all ${VALUE} records of a request`, String(all));
    return [{ line: first.below ?? first.above ?? groupLine, kind: 'incomplete', found, expected, groupLine, missing }];
  }

  /** The violation of each record, or the first one that is not allowed, in the order of the rules. Most records have none. */
  #judgeRecords(records: Records, taken: Alignment['taken'], common: CommonFields): readonly Violation[] {
    const { openings, failures, deprecation, hasSessions } = this.constants;
    const { runtimeTag, timezone } = this.constants.site;
    const violations: Violation[] = [];
    let ofRecord: Violation[] = [];
    let line = 0;
    const add = (kind: Rule, found: Statement, expected: Statement): void => void ofRecord.push({ line, kind, found, expected });
    const compare = (
      kind: Rule,
      found: string | number,
      expected: string | number = '',
      words = QUOTED,
      isOfGroup = false,
    ): void => {
      if (found === expected) return;
      const groupLine = records[0]?.line ?? line;
      const ofGroup = isOfGroup ? ` of the group of ${nameLine(groupLine, line, this.files)}` : '';
      const statements = { found: statement(words, String(found)), expected: statement(words + ofGroup, String(expected)) };
      ofRecord.push({ line, kind, ...statements, ...(isOfGroup && { groupLine }) });
    };
    // Faster than an iterator of entries, which makes an array for each.
    records.forEach((entry, index) => {
      const { record, place, prefix, ending } = entry;
      line = entry.line;
      if (prefix !== '') add('foreign', describePrefix(prefix, openings), statement('a record alone on its line'));
      if (!hasSessions && record.kind === 'load_failure' && record.sessionId !== undefined)
        add('session-id', quoted(record.sessionId), statement('no session id'));
      const order = this.#judgePlace(entry, taken[index], taken[index - 1]);
      if (order !== undefined) add('plugin-order', ...order);
      if (record.runtimeTag !== runtimeTag)
        add('foreign', statement(`the runtime tag "${VALUE}"`, record.runtimeTag), quoted(runtimeTag));
      // Several records in a row that agree with each other are one violation.
      const isOfRun = record.timestamp === records[index - 1]?.record.timestamp;
      if (!isOfRun) compare('timestamp', record.timestamp, common.timestamp, VALUE, true);
      if (record.kind === 'deprecation') {
        compare('timezone', record.timezoneName, timezone);
        compare('path', record.sessionFilePath, deprecation?.sessionFilePath);
        compare('line-number', record.lineNumber, deprecation?.lineNumber, VALUE);
      } else {
        const offsets = this.#expectedOffsets(record, common.utcOffset);
        if (offsets !== undefined) add('offset', statement(VALUE, record.utcOffset), offsets);
        const expected = failures[place] ?? failures[taken[index] ?? 0];
        if (!this.#isUnlisted(entry)) compare('path', record.pluginFilePath, expected?.pluginFilePath);
        compare('path', record.pluginLoaderFilePath, expected?.pluginLoaderFilePath);
        compare('line-number', record.lineNumber, expected?.lineNumber, VALUE);
        if (common.descriptor !== undefined) compare('descriptor', descriptorOf(record), common.descriptor, QUOTED, true);
      }
      if (ending !== undefined) ofRecord.push(violatesEnding(line, ending));
      if (ofRecord.length === 0) return;
      const ofWebmail = ofRecord.filter(({ kind }) => !STAMP_RULES.has(kind) || this.files.hasOwnStamp(line));
      violations.push(...firstCounted(ofWebmail, this.counts));
      ofRecord = [];
    });
    return violations;
  }

  #judgePlace(
    entry: CheckedEntry,
    taken: number | undefined,
    takenAbove: number | undefined,
  ): readonly [found: Statement, expected: Statement] | undefined {
    const { place, record } = entry;
    const isSwapped = taken !== undefined && takenAbove === taken + 1;
    if (taken === place && !isSwapped) return undefined;
    const isUnknown = place === UNKNOWN && record.kind === 'load_failure';
    const name = isUnknown ? pluginNameIn(record.pluginFilePath) : this.#nameOf(place);
    const isListed = name === DEPRECATION || this.constants.site.plugins.includes(name);
    // Another path is a violation of `path`.
    if (isUnknown && !isListed && !this.#isUnlisted(entry)) return undefined;
    if (isSwapped) return [named(name, ' is out of order'), statement('before the record above')];
    if (taken !== undefined) return [named(name), named(this.#nameOf(taken))];
    if (!isListed) return [named(name, ' is not in the list'), statement('a plugin of the deployment')];
    return [named(name, ' appears twice'), statement(name === DEPRECATION ? 'once per group' : 'once per plugin, in order')];
  }

  /** The offsets that a load failure may show at its time; undefined if it shows one of them, and that of its group if the group does. */
  #expectedOffsets(failure: LoadFailure, ofGroup: string): Statement | undefined {
    const { localSecond, timestamp, utcOffset } = failure;
    if (utcOffset === ofGroup && this.#isOfZone(failure)) return undefined;
    const valid = this.#zone.instantsOf(localSecond).map((second) => formatUtcOffset(this.#zone.offsetAt(second)));
    const expected = valid.includes(ofGroup) ? [ofGroup] : valid;
    if (expected.includes(utcOffset)) return undefined;
    const { timezone } = this.constants.site;
    if (expected.length === 0) return statement(`a time of ${timezone}, whose clocks skip ${timestamp}`);
    return statement(`${VALUE} of ${timezone}`, expected.join(' or '));
  }

  #isOfZone({ second, localSecond }: LoadFailure): boolean {
    return this.#zone.offsetAt(second) === localSecond - second;
  }

  /** True for a plugin that is not in the list, at the path that the deployment gives to plugins (2.1). */
  #isUnlisted({ place, record }: CheckedEntry): boolean {
    if (place !== UNKNOWN || record.kind !== 'load_failure') return false;
    return record.pluginFilePath === pluginFilePathOf(pluginNameIn(record.pluginFilePath), this.constants.site);
  }

  #nameOf(place: number): string {
    return this.constants.site.plugins[place] ?? DEPRECATION;
  }

  /** The time of a group: that of its common stamp, or of its clock alone where the zone does not have that offset. */
  #timeOf(records: Records, common: CommonFields): PlacedGroup['time'] {
    const shown = failuresOf(records).find(
      ({ timestamp, utcOffset }) => timestamp === common.timestamp && utcOffset === common.utcOffset,
    );
    if (shown === undefined || this.#isOfZone(shown) || !this.files.hasOwnStamp(records[0]?.line ?? 0)) return shown;
    return { ...shown, second: this.#zone.instantsOf(shown.localSecond)[0] ?? shown.second };
  }
}

const QUOTED = `"${VALUE}"`;
const DEPRECATION = 'the deprecation record';

function named(name: string, more = ''): Statement {
  return statement((name === DEPRECATION ? VALUE : QUOTED) + more, name);
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

export function firstCounted(violations: readonly Violation[], counts: FindingCounts<Rule>): readonly Violation[] {
  const first = violations.find(({ kind }) => !counts.isAllowed(kind));
  return first === undefined ? violations.slice(0, 1) : [first];
}

const MAX_NAMES_LENGTH = 200;

function failuresOf(entries: Records): readonly LoadFailure[] {
  return entries.map(({ record }) => record).filter((record) => record.kind === 'load_failure');
}

/** The fields that most records of a group show. The descriptor is absent where all show it. */
type CommonFields = Stamp & { readonly descriptor?: string };

/** The first of records that stand in their places and show one stamp and one request, as nearly all do; undefined for others. */
function uniformFailureOf(entries: Records): LoadFailure | undefined {
  const first = entries[0]?.record;
  if (first?.kind !== 'load_failure') return undefined;
  const isUniform = entries.every(
    ({ record, place }, index) =>
      place === index &&
      record.timestamp === first.timestamp &&
      (record.kind === 'deprecation' || (record.utcOffset === first.utcOffset && haveSameDescriptor(record, first))),
  );
  return isUniform ? first : undefined;
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
  const most = Math.max(...counts.values());
  return texts.find((text) => counts.get(text) === most) ?? '';
}
