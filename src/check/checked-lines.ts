import { recordOn } from '../input/log-lines.js';
import { copyBytes } from '../log/byte-string.js';
import { DIALECTS, type Deployment } from '../log/deployment.js';
import { RecordReader, type LogRecord } from '../log/line.js';
import { AFTER_RUNTIME_TAG, HANDLER_NOTICE, LOAD_FAILURE } from '../log/fields.js';
import { formatDeprecation, formatLoadFailure } from '../log/record.js';
import { Grouper } from '../reading/grouper.js';
import type { LogGroups } from '../reading/log-reader.js';
import { SharedPrefix } from '../reading/passed-over.js';
import { UNKNOWN, type Entry } from '../reading/record-group.js';
import { SAMPLE_STAMP, WholeGroupMatcher } from '../reading/whole-group-matcher.js';
import { constantsOf, lastLineOf, type GroupConstants, type WholeGroup } from '../reading/whole-group.js';

/** A record of the log, with what else stands on its line. Its place is found by the name at the end of its path alone, too. */
export interface CheckedEntry extends Entry {
  readonly ending: 'CR' | 'nothing' | undefined;
  /** The byte string before the record on its line: half a record whose LF was not written, or anything else. Mostly empty. */
  readonly prefix: string;
  /** True if the line before holds the same record: of deprecation records, those behind load failures. Others are requests of their own. */
  readonly isRepeated: boolean;
}

export interface Constants extends GroupConstants {
  readonly plugins: readonly string[];
  readonly runtimeTag: string;
  readonly timezone: string;
  readonly hasSessions: boolean;
  readonly openings: readonly string[];
  readonly kinds: string;
}

export function checkedConstantsOf(deployment: Deployment, hasSessions: boolean): Constants {
  const { plugins, runtimeTag, timezone, deprecation } = deployment;
  const [plugin = ''] = plugins;
  const failure = upTo(formatLoadFailure(SAMPLE_STAMP, plugin, 'GET /', deployment), AFTER_RUNTIME_TAG.load_failure);
  const ending = upTo(formatDeprecation(SAMPLE_STAMP, deployment), AFTER_RUNTIME_TAG.deprecation);
  return {
    ...constantsOf(deployment),
    plugins,
    runtimeTag,
    timezone,
    hasSessions,
    openings: deprecation ? [failure, ending] : [failure],
    kinds: deprecation ? 'a load-failure or a deprecation record' : 'a load-failure record',
  };
}

function upTo(text: string, literal: string): string {
  return text.slice(0, text.indexOf(literal) + literal.length);
}

export class CheckedGroups implements LogGroups<CheckedEntry> {
  readonly grouper: Grouper<CheckedEntry>;
  readonly #matchers: WholeGroupMatcher[];
  readonly #records = new RecordReader();
  readonly #constants: Constants;
  readonly #places: ReadonlyMap<string, number>;
  /** The last line with a record, and its text; of a whole group its timestamp; empty behind deprecation records alone: each is a request. */
  #line = 0;
  #text = '';
  readonly prefix = new SharedPrefix();

  constructor(deployment: Deployment, constants: Constants) {
    const { plugins, failures } = constants;
    this.#constants = constants;
    this.grouper = new Grouper(plugins.length, deployment.deprecation);
    this.#matchers = DIALECTS.map((dialect) => new WholeGroupMatcher({ ...deployment, dialect }));
    const paths = failures.map(({ pluginFilePath }) => pluginFilePath);
    this.#places = new Map([...plugins.entries(), ...paths.entries()].map(([place, text]) => [text, place]));
  }

  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    const group = this.#matchers[0]?.match(bytes, at, line) ?? this.#matchers.reverse()[0]?.match(bytes, at, line);
    return typeof group === 'object' && group.sessionId !== undefined && !this.#constants.hasSessions ? undefined : group;
  }

  passWhole(group: WholeGroup): void {
    this.#line = lastLineOf(group);
    this.#text = group.timestamp;
  }

  add(given: string, line: number, hasLf: boolean): boolean {
    const hasCr = given.endsWith('\r');
    const ending = hasCr ? 'CR' : hasLf ? undefined : 'nothing';
    const bytes = hasCr ? given.slice(0, -1) : given;
    const whole = this.#records.read(bytes);
    const from = whole === undefined ? findJoined(bytes) : 0;
    const record = whole ?? (from > 0 ? recordOn(copyBytes(bytes.slice(from))) : undefined);
    if (record === undefined || (record.kind === 'deprecation' && !this.grouper.hasEndings)) return false;
    const isFailure = record.kind === 'load_failure';
    const text = this.#line === line - 1 ? this.#text : '';
    const isRepeated = text === bytes || (!isFailure && text === record.timestamp);
    this.#line = line;
    this.#text = isFailure || text !== '' ? bytes : '';
    const prefix = bytes.slice(0, from);
    this.prefix.addPrefix(prefix);
    this.grouper.add({ record, line, place: this.#placeOf(record), ending, prefix, isRepeated });
    return true;
  }

  #placeOf(record: LogRecord): number {
    if (record.kind === 'deprecation') return this.#constants.plugins.length;
    return this.#places.get(record.pluginFilePath) ?? this.#places.get(pluginNameIn(record.pluginFilePath)) ?? UNKNOWN;
  }
}

function findJoined(text: string): number {
  const literalAt = Math.max(text.lastIndexOf(LOAD_FAILURE), text.lastIndexOf(HANDLER_NOTICE));
  return literalAt === -1 ? 0 : text.lastIndexOf('[', literalAt);
}

export function pluginNameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}
