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
  readonly site: Deployment;
  readonly hasSessions: boolean;
  readonly openings: readonly string[];
  readonly kinds: string;
}

export function checkedConstantsOf(site: Deployment, hasSessions: boolean): Constants {
  const constants = constantsOf(site);
  const [plugin = ''] = site.plugins;
  const failure = upTo(formatLoadFailure(SAMPLE_STAMP, plugin, 'GET /', site), AFTER_RUNTIME_TAG.load_failure);
  if (!site.deprecation) return { ...constants, site, hasSessions, openings: [failure], kinds: 'a load-failure record' };
  const ending = upTo(formatDeprecation(SAMPLE_STAMP, site), AFTER_RUNTIME_TAG.deprecation);
  const kinds = 'a load-failure or a deprecation record';
  return { ...constants, site, hasSessions, openings: [failure, ending], kinds };
}

function upTo(text: string, literal: string): string {
  return text.slice(0, text.indexOf(literal) + literal.length);
}

export class CheckedGroups implements LogGroups<CheckedEntry> {
  readonly grouper: Grouper<CheckedEntry>;
  readonly #matchers: WholeGroupMatcher[];
  readonly #records = new RecordReader();
  readonly #places: ReadonlyMap<string, number>;
  /** The last line with a record, and its text; of a whole group its timestamp; empty behind deprecation records alone: each is a request. */
  #line = 0;
  #text = '';
  readonly prefix = new SharedPrefix();

  constructor(private readonly constants: Constants) {
    const { site, failures } = constants;
    this.grouper = new Grouper(site.plugins.length, site.deprecation);
    this.#matchers = DIALECTS.map((dialect) => new WholeGroupMatcher({ ...site, dialect }));
    const paths = failures.map(({ pluginFilePath }) => pluginFilePath);
    this.#places = new Map([...site.plugins.entries(), ...paths.entries()].map(([place, text]) => [text, place]));
  }

  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    const group = this.#matchers[0]?.match(bytes, at, line) ?? this.#matchers.reverse()[0]?.match(bytes, at, line);
    return typeof group === 'object' && group.sessionId !== undefined && !this.constants.hasSessions ? undefined : group;
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
    if (record.kind === 'deprecation') return this.constants.failures.length;
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
