import { quoted, statement, VALUE, type Statement } from '../findings/statement.js';
import { descriptorOf, type LoadFailure } from '../log/line.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { nameLine, type LinePlaces } from '../reading/line-places.js';
import { UNKNOWN } from '../reading/record-group.js';
import { quoteBytes } from '../wording.js';
import { align, type Alignment } from './align.js';
import { pluginNameIn, type CheckedEntry, type Constants } from './checked-lines.js';
import type { FillGap } from './gap-lines.js';
import { commonFieldsOf, failuresOf, type CommonFields } from './common-fields.js';
import { describePrefix } from './prefix.js';
import type { Rule, Violation } from './rules.js';
import type { GroupTime } from './sequence.js';

/** The result of judging a group. */
interface Judgement {
  /** For each line in the order of the rules. Of several violations on a line, only the first that is not allowed counts. */
  readonly violations: readonly Violation[];
  /** The time of a group that has ended; undefined for an incomplete group. */
  readonly time: GroupTime | undefined;
}

/** The records of a group, in the order of lines. There is at least one. */
export type Records = readonly CheckedEntry[];

/** Compares groups with a deployment and the specification (2.1 to 2.3, 6, 7). */
export class Judge {
  readonly #constants: Constants;
  readonly #zone: Zone;
  readonly #places: LinePlaces;

  constructor(constants: Constants, places: LinePlaces) {
    this.#constants = constants;
    this.#places = places;
    this.#zone = zoneNamed(constants.timezone);
  }

  /** Finds the violations of a group. */
  judge(entries: Records, fillGap: FillGap): Judgement {
    const clean = this.#judgeClean(entries);
    if (clean !== undefined) return clean;
    const violations: Violation[] = [];
    const groupLine = firstLineOf(entries);
    const add: Add = (line, kind, found, expected, more = {}) => {
      violations.push({ line, kind, found, expected, ...more });
    };
    const places = entries.map(({ place }) => place);
    const alignment = isSurplus(entries) ? ALL_SURPLUS : align(places, this.#constants.plugins.length);
    const common = commonFieldsOf(entries);
    this.#judgeMissing(entries, alignment, fillGap, add);
    this.#judgeEntries(entries, alignment, common, add);
    const isEnded = entries.some(({ record }) => record.kind === 'deprecation');
    const isMostlyWhole = isEnded && alignment.missing.length < entries.length;
    return { violations, time: isMostlyWhole ? this.#timeOf(groupLine, failuresOf(entries), common) : undefined };
  }

  /** True for at least half of the records of a group, so that it counts as one. */
  isMostOfGroup(entries: Records): boolean {
    return !isSurplus(entries) && 2 * entries.length > this.#constants.plugins.length;
  }

  /** Judges a group without a violation, in a fraction of the time; undefined for any other. */
  #judgeClean(entries: Records): Judgement | undefined {
    const { plugins, runtimeTag, timezone, pluginFilePaths, pluginLoaderFilePath, loaderLine, sessionFilePath, sessionLine } =
      this.#constants;
    const first = entries[0]?.record;
    if (first?.kind !== 'load_failure' || entries.length !== plugins.length + 1) return undefined;
    const { timestamp, utcOffset, httpMethod, requestTarget } = first;
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index];
      if (entry === undefined) return undefined;
      const { record, place, prefix, ending } = entry;
      if (place !== index || prefix !== '' || ending !== undefined) return undefined;
      if (record.timestamp !== timestamp || record.runtimeTag !== runtimeTag) return undefined;
      const isClean =
        record.kind === 'load_failure'
          ? record.utcOffset === utcOffset &&
            record.requestTarget === requestTarget &&
            record.httpMethod === httpMethod &&
            record.lineNumber === loaderLine &&
            record.pluginFilePath === pluginFilePaths[index] &&
            record.pluginLoaderFilePath === pluginLoaderFilePath
          : record.timezoneName === timezone && record.sessionFilePath === sessionFilePath && record.lineNumber === sessionLine;
      if (!isClean) return undefined;
    }
    if (formatUtcOffset(this.#zone.offsetAt(first.second)) !== utcOffset) return undefined;
    return { violations: [], time: { line: firstLineOf(entries), timestamp, utcOffset, second: first.second } };
  }

  #judgeMissing(entries: Records, alignment: Alignment, fillGap: FillGap, add: Add): void {
    const groupLine = firstLineOf(entries);
    let gap = { before: -1, isFilled: false };
    const missing = alignment.missing.filter(({ before }) => {
      // A line stands in for all records that are missing between two.
      if (gap.before !== before) {
        gap = { before, isFilled: fillGap({ above: entries[before - 1]?.line, below: entries[before]?.line }) };
      }
      return !gap.isFilled;
    });
    const [first] = missing;
    if (first === undefined) return;
    const line = (entries[first.before] ?? entries.at(-1))?.line ?? groupLine;
    const names = missing.map(({ place }) => this.#nameOf(place));
    const listed = names.map((name) => (name === DEPRECATION ? name : quoteBytes(name))).join(', ');
    const all = this.#constants.plugins.length + 1;
    const found = statement(`the group lacks ${shorten(listed)}`, String(all - missing.length));
    add(line, 'incomplete', found, statement(`all ${VALUE} records of a request`, String(all)), { groupLine, missing: names });
  }

  #judgeEntries(entries: Records, { taken, swapped }: Alignment, common: CommonFields, add: Add): void {
    const groupLine = firstLineOf(entries);
    let { timestamp: timestampBefore, descriptor: descriptorBefore } = common;
    for (const [index, entry] of entries.entries()) {
      const { record, line, prefix } = entry;
      if (prefix !== '') {
        const found = describePrefix(prefix, this.#constants.openings);
        add(line, 'foreign', found, statement('a record alone on its line'));
      }
      this.#judgePlace(entry, taken[index], swapped.has(index), add);
      this.#judgeTag(entry, add);
      const { timestamp } = record;
      // Several records in a row that agree with each other are one violation.
      if (timestamp !== common.timestamp && timestamp !== timestampBefore)
        add(line, 'timestamp', statement(VALUE, timestamp), statement(VALUE + this.#ofGroup(groupLine, line), common.timestamp), {
          groupLine,
        });
      timestampBefore = timestamp;
      if (record.kind === 'deprecation') {
        if (record.timezoneName !== this.#constants.timezone)
          add(line, 'timezone', quoted(record.timezoneName), quoted(this.#constants.timezone));
      } else {
        this.#judgeOffset(line, record, common, add);
      }
      this.#judgePaths(entry, taken[index], add);
      if (record.kind === 'load_failure') {
        const descriptor = descriptorOf(record);
        if (descriptor !== common.descriptor && descriptor !== descriptorBefore)
          add(
            line,
            'descriptor',
            quoted(descriptor),
            statement(`"${VALUE}"${this.#ofGroup(groupLine, line)}`, common.descriptor),
            {
              groupLine,
            },
          );
        descriptorBefore = descriptor;
      }
      if (entry.ending !== undefined) {
        const { kind, found, expected } = violatesEnding(line, entry.ending);
        add(line, kind, found, expected);
      }
    }
  }

  #ofGroup(groupLine: number, line: number): string {
    return ` of the group of ${nameLine(groupLine, line, this.#places)}`;
  }

  #judgePlace({ line, place, record }: CheckedEntry, taken: number | undefined, isSwapped: boolean, add: Add): void {
    if (taken === place && !isSwapped) return;
    if (record.kind === 'load_failure' && place === UNKNOWN && !this.#isPluginPath(record.pluginFilePath)) return;
    const name = place === UNKNOWN && record.kind === 'load_failure' ? pluginNameIn(record.pluginFilePath) : this.#nameOf(place);
    if (isSwapped) add(line, 'plugin-order', named(name, ' is late'), statement('its place before the record above'));
    else if (taken === undefined)
      add(line, 'plugin-order', named(name, ' is one too many'), statement('one record for each plugin, in order'));
    else add(line, 'plugin-order', named(name), named(this.#nameOf(taken)));
  }

  #judgeTag({ line, record: { runtimeTag } }: CheckedEntry, add: Add): void {
    if (runtimeTag !== this.#constants.runtimeTag)
      add(line, 'foreign', statement(`the runtime tag "${VALUE}"`, runtimeTag), quoted(this.#constants.runtimeTag));
  }

  #judgeOffset(line: number, failure: LoadFailure, common: CommonFields, add: Add): void {
    const { utcOffset: ofGroup } = common;
    const valid = this.#zone.instantsOf(failure.localSecond).map((second) => formatUtcOffset(this.#zone.offsetAt(second)));
    const isOfGroup = failure.timestamp !== common.timestamp || failure.utcOffset === ofGroup || !valid.includes(ofGroup);
    if (valid.includes(failure.utcOffset) && isOfGroup) return;
    const value = valid.includes(ofGroup) ? ofGroup : valid.join(' or ');
    const { timezone } = this.#constants;
    const expected =
      value === ''
        ? statement(`a time that ${timezone} has: ${failure.timestamp} is none`)
        : statement(`${VALUE} of ${timezone}`, value);
    add(line, 'offset', statement(VALUE, failure.utcOffset), expected);
  }

  #judgePaths({ line, record, place }: CheckedEntry, taken: number | undefined, add: Add): void {
    const { pluginFilePaths, pluginLoaderFilePath, loaderLine, sessionFilePath, sessionLine } = this.#constants;
    const paths: (readonly [found: string, expected: string])[] = [];
    if (record.kind === 'load_failure') {
      const named = pluginFilePaths[place];
      if (named !== undefined) paths.push([record.pluginFilePath, named]);
      else if (!this.#isPluginPath(record.pluginFilePath)) paths.push([record.pluginFilePath, pluginFilePaths[taken ?? 0] ?? '']);
      paths.push([record.pluginLoaderFilePath, pluginLoaderFilePath]);
    } else {
      paths.push([record.sessionFilePath, sessionFilePath]);
    }
    for (const [found, expected] of paths) if (found !== expected) add(line, 'path', quoted(found), quoted(expected));
    const lineNumber = record.kind === 'load_failure' ? loaderLine : sessionLine;
    if (record.lineNumber !== lineNumber)
      add(line, 'line-number', statement(VALUE, String(record.lineNumber)), statement(VALUE, String(lineNumber)));
  }

  /** True for a path of the shape that the deployment gives to plugin files (2.1), with any plugin name. */
  #isPluginPath(path: string): boolean {
    const { plugins, pluginFilePaths } = this.#constants;
    const [plugin = ''] = plugins;
    const [sample = ''] = pluginFilePaths;
    const name = pluginNameIn(path);
    return name !== '' && path === sample.split(`/${plugin}/${plugin}.`).join(`/${name}/${name}.`);
  }

  #nameOf(place: number): string {
    return this.#constants.plugins[place] ?? DEPRECATION;
  }

  /** The time of a group: the instant that its common offset gives, if the zone has that offset then. */
  #timeOf(line: number, failures: readonly LoadFailure[], { timestamp, utcOffset }: CommonFields): GroupTime | undefined {
    const first = failures.find((failure) => failure.timestamp === timestamp);
    if (first === undefined) return undefined;
    const instants = this.#zone.instantsOf(first.localSecond);
    const shown = instants.find((second) => formatUtcOffset(this.#zone.offsetAt(second)) === utcOffset);
    return { line, timestamp, utcOffset, second: shown ?? instants[0] ?? first.second };
  }
}

/** The alignment of records that are all too many. */
const ALL_SURPLUS: Alignment = { taken: [], swapped: new Set(), missing: [] };

type Add = (
  line: number,
  kind: Rule,
  found: Statement,
  expected: Statement,
  more?: Pick<Violation, 'groupLine' | 'missing'>,
) => void;

/** The name of the deprecation record among plugin names, which have no spaces. */
const DEPRECATION = 'the deprecation record';

/** The statement that names a record. */
function named(name: string, more = ''): Statement {
  return statement((name === DEPRECATION ? VALUE : `"${VALUE}"`) + more, name);
}

/** The violation of a line that ends in CR LF, or in nothing. */
export function violatesEnding(line: number, ending: 'CR' | 'nothing'): Violation {
  const found = statement(ending === 'CR' ? 'a CR before the LF' : 'no LF at the end of the log');
  return { line, kind: 'ending', found, expected: statement('one LF after a record') };
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
