import { quoted, statement, VALUE, type Statement } from '../findings/statement.js';
import { descriptorOf, type LoadFailure } from '../log/line.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { align, type Alignment } from '../reading/align.js';
import { UNKNOWN } from '../reading/entry.js';
import { nameLine, type LinePlaces } from '../reading/line-places.js';
import type { OpenGroup } from '../reading/open-group.js';
import { quoteBytes } from '../wording.js';
import { commonFieldsOf, failuresOf, type CommonFields } from './common-fields.js';
import { pluginNameIn, type CheckedEntry, type Constants } from './entry.js';
import { describePrefix } from './prefix.js';
import type { Rule, Violation } from './rules.js';
import type { GroupTime } from './step-back.js';

/** The result of judging a group. */
interface Judgement {
  /** For each line in the order of the rules. Of several violations on a line, only the first that is not allowed counts. */
  readonly violations: readonly Violation[];
  /** The time of a group that has ended; undefined for an incomplete group. */
  readonly time: GroupTime | undefined;
}

/** True if a foreign line stands from one line up to another: it stands in for the records that are missing there. */
type HasForeign = (from: number, until: number) => boolean;

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
  judge(group: OpenGroup<CheckedEntry>, hasForeign: HasForeign): Judgement {
    const violations: Violation[] = [];
    const add: Add = (line, kind, found, expected, more = {}) => {
      violations.push({ line, kind, found, expected, ...more });
    };
    const { entries } = group;
    const places = entries.map(({ place }) => place);
    const alignment = isSurplus(group) ? ALL_SURPLUS : align(places, this.#constants.plugins.length);
    const common = commonFieldsOf(entries);
    this.#judgeMissing(group, alignment, hasForeign, add);
    this.#judgeEntries(group, alignment, common, add);
    this.#judgeInterruption(group, add);
    const isMostlyWhole = group.state === 'ended' && alignment.missing.length < entries.length;
    return { violations, time: isMostlyWhole ? this.#timeOf(group, common) : undefined };
  }

  #judgeMissing(group: OpenGroup<CheckedEntry>, alignment: Alignment, hasForeign: HasForeign, add: Add): void {
    const { entries, firstLine: groupLine } = group;
    const missing = alignment.missing.filter(({ before }) => {
      const from = entries[before - 1]?.line ?? groupLine - 2;
      return !hasForeign(from + 1, entries[before]?.line ?? from + 1);
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

  #judgeEntries(group: OpenGroup<CheckedEntry>, { taken, swapped }: Alignment, common: CommonFields, add: Add): void {
    const { entries, firstLine: groupLine } = group;
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
        add(line, 'timestamp', statement(VALUE, timestamp), statement(VALUE + this.#ofGroup(group, line), common.timestamp), {
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
          add(line, 'descriptor', quoted(descriptor), statement(`"${VALUE}"${this.#ofGroup(group, line)}`, common.descriptor), {
            groupLine,
          });
        descriptorBefore = descriptor;
      }
      if (entry.ending !== undefined) {
        const { kind, found, expected } = violatesEnding(line, entry.ending);
        add(line, kind, found, expected);
      }
    }
  }

  #judgeInterruption({ state, interruption, firstLine: groupLine }: OpenGroup<CheckedEntry>, add: Add): void {
    if (state !== 'ended' || interruption === undefined || !this.#isMostOfGroup(interruption.by)) return;
    const { line } = interruption;
    const found = statement(`a group begins before the group of ${nameLine(groupLine, line, this.#places)} has ended`);
    add(line, 'interleaved', found, statement('one group after the other'), { groupLine });
  }

  #ofGroup({ firstLine }: OpenGroup<CheckedEntry>, line: number): string {
    return ` of the group of ${nameLine(firstLine, line, this.#places)}`;
  }

  #isMostOfGroup(group: OpenGroup<CheckedEntry>): boolean {
    return !group.isAbsorbed && !isSurplus(group) && 2 * group.entries.length > this.#constants.plugins.length;
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
  #timeOf({ entries, firstLine: line }: OpenGroup<CheckedEntry>, { timestamp, utcOffset }: CommonFields): GroupTime | undefined {
    const first = failuresOf(entries).find((failure) => failure.timestamp === timestamp);
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
export function isSurplus({ entries }: OpenGroup<CheckedEntry>): boolean {
  const [first, ...more] = entries;
  return (more.length === 0 && first?.isRepeated === true) || entries.every(({ place }) => place === UNKNOWN);
}
