import { quoted, statement, VALUE, type Statement } from '../findings/statement.js';
import { align, type Alignment } from './align.js';
import { pluginNameIn, UNKNOWN, type Constants, type Entry } from './entry.js';
import type { GatheredGroup } from './gathered-group.js';
import { describePrefix } from './prefix.js';
import type { Rule, Violation } from './rules.js';
import type { LoadFailure } from '../log/line.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { quoteBytes } from '../wording.js';

/** How a group stands to the specification. */
interface Judgement {
  /** In the order of the rules for each line; a line may break several, of which the first that is not allowed counts. */
  readonly violations: readonly Violation[];
  /** Of a group that was ended; of one that was not, undefined. */
  readonly time: GroupTime | undefined;
}

/** When a group was written. */
export interface GroupTime {
  /** Its first line. */
  readonly line: number;
  /** As the log shows it. */
  readonly timestamp: string;
  readonly utcOffset: string;
  /** The Unix second. */
  readonly second: number;
}

/** Holds groups against a deployment (2.1 to 2.3, 6, 7). */
export class Judge {
  readonly #constants: Constants;
  readonly #zone: Zone;

  constructor(constants: Constants) {
    this.#constants = constants;
    this.#zone = zoneNamed(constants.timezone);
  }

  /**
   * @param hasForeign whether a foreign line stands from one line on up to another: it is taken for the records that lack there
   */
  judge(group: GatheredGroup, hasForeign: (from: number, until: number) => boolean): Judgement {
    const violations: Violation[] = [];
    const add: Add = (line, rule, found, expected, more = {}) => {
      violations.push({ line, kind: rule, found, expected, ...more });
    };
    const { entries } = group;
    const groupLine = group.firstLine;
    const ofGroup = ` of the group of line ${String(groupLine)}`;
    const { taken, swapped, missing } = group.isSurplus
      ? ALL_SURPLUS
      : align(
          entries.map(({ place }) => place),
          this.#constants.plugins.length,
        );
    const lacking = missing.filter(({ before }) => {
      const from = entries[before - 1]?.line ?? group.firstLine - 2;
      return !hasForeign(from + 1, entries[before]?.line ?? from + 1);
    });
    const [firstLacking] = lacking;
    if (firstLacking !== undefined) {
      const line = (entries[firstLacking.before] ?? entries.at(-1))?.line ?? group.firstLine;
      const names = lacking.map(({ place }) => this.#nameOf(place));
      const all = this.#constants.plugins.length + 1;
      const found = statement(
        `the group lacks ${shorten(names.map((name) => (name === DEPRECATION ? name : quoteBytes(name))).join(', '))}`,
        String(all - lacking.length),
      );
      add(line, 'incomplete', found, statement(`all ${VALUE} records of a request`, String(all)), { groupLine, missing: names });
    }
    const timestamp = mostFrequent(entries.map(({ record }) => record.timestamp));
    const failures = entries.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
    const utcOffset = mostFrequent(failures.map((failure) => failure.utcOffset));
    const descriptor = mostFrequent(failures.map(descriptorOf));
    let timestampBefore = timestamp;
    let descriptorBefore = descriptor;
    for (const [index, entry] of entries.entries()) {
      const { record, line } = entry;
      if (entry.prefix !== '') {
        const found = describePrefix(entry.prefix, this.#constants.openings);
        add(line, 'foreign', found, statement('a record alone on its line'));
      }
      this.#judgePlace(entry, taken[index], swapped.has(index), add);
      this.#judgeTag(entry, add);
      // Several records that agree with each other are one break.
      if (record.timestamp !== timestamp && record.timestamp !== timestampBefore)
        add(line, 'timestamp', statement(VALUE, record.timestamp), statement(VALUE + ofGroup, timestamp), { groupLine });
      timestampBefore = record.timestamp;
      if (record.kind === 'deprecation') {
        if (record.timezoneName !== this.#constants.timezone)
          add(line, 'timezone', quoted(record.timezoneName), quoted(this.#constants.timezone));
      } else {
        this.#judgeOffset(line, record, timestamp, utcOffset, add);
      }
      this.#judgePaths(entry, taken[index], add);
      if (record.kind === 'load_failure') {
        const own = descriptorOf(record);
        if (own !== descriptor && own !== descriptorBefore)
          add(line, 'descriptor', quoted(own), statement(`"${VALUE}"${ofGroup}`, descriptor), { groupLine });
        descriptorBefore = own;
      }
      if (entry.ending !== undefined) violations.push(violatesEnding(line, entry.ending));
    }
    const { interruption } = group;
    if (group.state === 'ended' && interruption !== undefined && this.#isMostOfGroup(interruption.by)) {
      const found = statement(`a group begins before the group of line ${String(groupLine)} has ended`);
      add(interruption.line, 'interleaved', found, statement('one group after the other'), { groupLine });
    }
    const isWholeMostly = group.state === 'ended' && missing.length < entries.length;
    const shown = failures.filter((failure) => failure.timestamp === timestamp);
    const second = isWholeMostly ? this.#secondOf(shown, utcOffset) : undefined;
    return { violations, time: second === undefined ? undefined : { line: groupLine, timestamp, utcOffset, second } };
  }

  #isMostOfGroup({ entries, isSurplus }: GatheredGroup): boolean {
    return !isSurplus && 2 * entries.length > this.#constants.plugins.length;
  }

  #judgePlace({ line, place, record }: Entry, taken: number | undefined, isSwapped: boolean, add: Add): void {
    if (taken === place && !isSwapped) return;
    if (record.kind === 'load_failure' && place === UNKNOWN && !this.#isPluginPath(record.pluginFilePath)) return;
    const name = place === UNKNOWN && record.kind === 'load_failure' ? pluginNameIn(record.pluginFilePath) : this.#nameOf(place);
    if (isSwapped) add(line, 'plugin-order', named(name, ' is late'), statement('its place before the record above'));
    else if (taken === undefined)
      add(line, 'plugin-order', named(name, ' is one too many'), statement('one record for each plugin, in order'));
    else add(line, 'plugin-order', named(name), named(this.#nameOf(taken)));
  }

  #judgeTag({ line, record: { runtimeTag } }: Entry, add: Add): void {
    if (runtimeTag !== this.#constants.runtimeTag)
      add(line, 'foreign', statement(`the runtime tag "${VALUE}"`, runtimeTag), quoted(this.#constants.runtimeTag));
  }

  #judgeOffset(line: number, failure: LoadFailure, timestamp: string, ofGroup: string, add: Add): void {
    const valid = this.#zone.instantsOf(failure.localSecond).map((second) => formatUtcOffset(this.#zone.offsetAt(second)));
    const isOfGroup = failure.timestamp !== timestamp || failure.utcOffset === ofGroup || !valid.includes(ofGroup);
    if (valid.includes(failure.utcOffset) && isOfGroup) return;
    const value = valid.includes(ofGroup) ? ofGroup : valid.join(' or ');
    const { timezone } = this.#constants;
    const expected =
      value === ''
        ? statement(`a time that ${timezone} has: ${failure.timestamp} is none`)
        : statement(`${VALUE} of ${timezone}`, value);
    add(line, 'offset', statement(VALUE, failure.utcOffset), expected);
  }

  #judgePaths({ line, record, place }: Entry, taken: number | undefined, add: Add): void {
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

  /** Whether a path is that of some plugin of the deployment's shape (2.1), with whatever name. */
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

  /** The instant of load failures of one timestamp: by the offset that most of them show, if the zone has it then. */
  #secondOf([first]: readonly LoadFailure[], utcOffset: string): number | undefined {
    if (first === undefined) return undefined;
    const instants = this.#zone.instantsOf(first.localSecond);
    const shown = instants.find((second) => formatUtcOffset(this.#zone.offsetAt(second)) === utcOffset);
    return shown ?? instants[0] ?? first.second;
  }
}

/** How records stand that are each one too many. */
const ALL_SURPLUS: Alignment = { taken: [], swapped: new Set(), missing: [] };

type Add = (
  line: number,
  rule: Rule,
  found: Statement,
  expected: Statement,
  more?: Pick<Violation, 'groupLine' | 'missing'>,
) => void;

/** What stands for a plugin's name where the deprecation record is meant: no plugin has a space in its name. */
const DEPRECATION = 'the deprecation record';

/** The statement that names a record. */
function named(name: string, more = ''): Statement {
  return statement((name === DEPRECATION ? VALUE : `"${VALUE}"`) + more, name);
}

/** What ends a line that is not ended by its LF alone. */
export function violatesEnding(line: number, ending: 'CR' | 'nothing'): Violation {
  const found = statement(ending === 'CR' ? 'a CR before the LF' : 'no LF at the end of the log');
  return { line, kind: 'ending', found, expected: statement('one LF after a record') };
}

/** A step back of a group, or undefined: groups stand in the order of their seconds (6.4). */
export function findStepBack(time: GroupTime, above: GroupTime): Violation | undefined {
  if (time.second >= above.second) return undefined;
  const groupLine = above.line;
  return {
    line: time.line,
    kind: 'backwards',
    found: statement(VALUE, formatTime(time)),
    expected: statement(`none before ${VALUE} of the group above, line ${String(groupLine)}`, formatTime(above)),
    groupLine,
  };
}

function formatTime({ timestamp, utcOffset }: GroupTime): string {
  return `${timestamp} ${utcOffset}`;
}

function descriptorOf({ httpMethod, requestTarget }: LoadFailure): string {
  return `${httpMethod} ${requestTarget}`;
}

/** The first of those that are there most often; empty for none. */
function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  let best = '';
  for (const [text, count] of counts) if (count > (counts.get(best) ?? 0)) best = text;
  return best;
}

const MAX_NAMES_LENGTH = 200;

function shorten(text: string): string {
  return text.length <= MAX_NAMES_LENGTH ? text : `${text.slice(0, MAX_NAMES_LENGTH)}…`;
}
