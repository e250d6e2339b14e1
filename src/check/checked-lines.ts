import { copyBytes } from '../log/byte-string.js';
import { DIALECTS, type Deployment } from '../log/deployment.js';
import { parseRecord, type LogRecord } from '../log/line.js';
import { RecordReader } from '../log/record-reader.js';
import { AFTER_RUNTIME_TAG, formatDeprecation, formatLoadFailure, HANDLER_NOTICE, LOAD_FAILURE } from '../log/record.js';
import { Grouper } from '../reading/grouper.js';
import type { LogGroups } from '../reading/log-reader.js';
import { placesIn, UNKNOWN, type Entry, type RecordGroup } from '../reading/record-group.js';
import { WholeGroupMatcher } from '../reading/whole-group-matcher.js';
import { constantsOf, lastLineOf, type GroupConstants, type WholeGroup } from '../reading/whole-group.js';

/** A record of the log, with what else stands on its line. Its place is found by the name at the end of its path alone, too. */
export interface CheckedEntry extends Entry {
  /** The end of its line, where that is not LF alone. */
  readonly ending: 'CR' | 'nothing' | undefined;
  /** The byte string before the record on its line: half a record whose LF was not written, or anything else. Mostly empty. */
  readonly prefix: string;
  /** True if the line before holds the same record. */
  readonly isRepeated: boolean;
}

/** The parts of a deployment's records that are the same in each group. */
export interface Constants extends GroupConstants {
  /** The names of the plugins, in reporting order. */
  readonly plugins: readonly string[];
  /** The beginnings of both kinds of record, with any stamp. */
  readonly openings: readonly string[];
}

/** The stamp of the openings. */
const STAMP = { timestamp: '01-Jan-1970 00:00:00', utcOffset: '+0000' };

/** The constants of a deployment. */
export function checkedConstantsOf(deployment: Deployment): Constants {
  const { plugins } = deployment;
  const [plugin = ''] = plugins;
  return {
    ...constantsOf(deployment),
    plugins,
    openings: [
      upTo(formatLoadFailure(STAMP, plugin, 'GET /', deployment), AFTER_RUNTIME_TAG.load_failure),
      upTo(formatDeprecation(STAMP, deployment), AFTER_RUNTIME_TAG.deprecation),
    ],
  };
}

function upTo(text: string, literal: string): string {
  return text.slice(0, text.indexOf(literal) + literal.length);
}

/** Reads lines as entries. */
class EntryReader {
  readonly #placeIn: (record: LogRecord) => number;
  /** By the name at the end of a path, for paths with another beginning. */
  readonly #placesByName: ReadonlyMap<string, number>;
  readonly #records = new RecordReader();
  /** The line that was read last, if it holds a record, and that record. */
  #line = 0;
  #recordText = '';
  /** The timestamp of a whole group that ends there. */
  #groupTimestamp = '';

  constructor({ plugins, failures }: Constants) {
    this.#placeIn = placesIn(failures.map(({ pluginFilePath }) => pluginFilePath));
    this.#placesByName = new Map(plugins.map((name, place) => [name, place]));
  }

  /**
   * Reads the record on a line. A record that a CR follows, and a record behind other text, count too.
   *
   * @param text the line, a byte string without its LF
   * @param hasLf false for a last line without an LF
   * @returns undefined for a line without a record
   */
  read(text: string, line: number, hasLf: boolean): CheckedEntry | undefined {
    const hasCr = text.endsWith('\r');
    const ending = hasCr ? 'CR' : hasLf ? undefined : 'nothing';
    const bytes = hasCr ? text.slice(0, -1) : text;
    const whole = this.#records.read(bytes);
    const from = whole === undefined ? findJoined(bytes) : 0;
    const record = whole ?? (from > 0 ? parseRecord(copyBytes(bytes.slice(from))) : undefined);
    if (record === undefined) return undefined;
    const isOfGroup = record.kind === 'deprecation' && record.timestamp === this.#groupTimestamp;
    const isRepeated = this.#line === line - 1 && (isOfGroup || this.#recordText === bytes);
    this.#line = line;
    this.#recordText = bytes;
    this.#groupTimestamp = '';
    return { record, line, place: this.#placeOf(record), ending, prefix: bytes.slice(0, from), isRepeated };
  }

  /** Takes a whole group that was read in another way. @param line its last one */
  passWhole(line: number, timestamp: string): void {
    this.#line = line;
    this.#recordText = '';
    this.#groupTimestamp = timestamp;
  }

  #placeOf(record: LogRecord): number {
    const place = this.#placeIn(record);
    if (place !== UNKNOWN || record.kind === 'deprecation') return place;
    return this.#placesByName.get(pluginNameIn(record.pluginFilePath)) ?? UNKNOWN;
  }
}

/** Groups the records of a log whose deployment is given, in either dialect. */
export class CheckedGroups implements LogGroups<CheckedEntry> {
  readonly #lines: EntryReader;
  readonly #grouper: Grouper<CheckedEntry>;
  /** One for each dialect, that of the last group first: most logs have one dialect. */
  readonly #matchers: WholeGroupMatcher[];

  constructor(deployment: Deployment, constants: Constants) {
    this.#lines = new EntryReader(constants);
    this.#grouper = new Grouper(constants.plugins.length);
    this.#matchers = DIALECTS.map((dialect) => new WholeGroupMatcher({ ...deployment, dialect }));
  }

  get isIdle(): boolean {
    return this.#grouper.isIdle;
  }

  get firstOpenLine(): number {
    return this.#grouper.firstOpenLine;
  }

  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    const [first, second] = this.#matchers;
    const group = first?.match(bytes, at, line);
    if (group !== undefined || first === undefined || second === undefined) return group;
    const other = second.match(bytes, at, line);
    if (other !== undefined) this.#matchers.splice(0, 2, second, first);
    return other;
  }

  passWhole(group: WholeGroup): void {
    this.#grouper.passWhole();
    this.#lines.passWhole(lastLineOf(group), group.timestamp);
  }

  add(text: string, line: number, hasLf: boolean): boolean {
    const entry = this.#lines.read(text, line, hasLf);
    if (entry === undefined) return false;
    this.#grouper.add(entry);
    return true;
  }

  next(): RecordGroup<CheckedEntry> | undefined {
    return this.#grouper.next();
  }

  pause(): void {
    // The deployment is known: nothing is held back for it.
  }

  giveUp(): void {
    this.#grouper.giveUp();
  }
}

/** The index at which a record at the end of a line may begin behind other text; 0 or less for none. */
function findJoined(text: string): number {
  const literalAt = Math.max(text.lastIndexOf(LOAD_FAILURE), text.lastIndexOf(HANDLER_NOTICE));
  return literalAt === -1 ? 0 : text.lastIndexOf('[', literalAt);
}

/** The name of the plugin at the end of a path. */
export function pluginNameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}
