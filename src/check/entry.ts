import { copyBytes } from '../log/byte-string.js';
import type { Deployment } from '../log/deployment.js';
import { parseRecord, type LogRecord } from '../log/line.js';
import { UNKNOWN, type Entry } from '../reading/entry.js';
import {
  AFTER_RUNTIME_TAG,
  deprecationFields,
  formatDeprecation,
  formatLoadFailure,
  HANDLER_NOTICE,
  LOAD_FAILURE,
  loadFailureFields,
} from '../log/record.js';

/** A record of the log as the check sees it. Its place may be told by the name alone that a plugin's path ends in. */
export interface CheckedEntry extends Entry {
  /** What its line ends in, where that is not the LF that belongs there. */
  readonly ending: 'CR' | 'nothing' | undefined;
  /** What stands before it on its line, a byte string: half a record, of which no LF was written, or anything else; mostly nothing. */
  readonly prefix: string;
  /** True if the line before holds the same record. */
  readonly isRepeated: boolean;
}

/** What the records of a deployment hold that does not change from group to group. Byte strings. */
export interface Constants {
  readonly runtimeTag: string;
  readonly plugins: readonly string[];
  /** In reporting order. */
  readonly pluginFilePaths: readonly string[];
  readonly pluginLoaderFilePath: string;
  readonly loaderLine: number;
  readonly sessionFilePath: string;
  readonly sessionLine: number;
  readonly timezone: string;
  /** What its two kinds of record begin with, with some stamp. */
  readonly openings: readonly string[];
}

/** Any stamp will do: the constants are read from records that the deployment writes. */
const STAMP = { timestamp: '01-Jan-1970 00:00:00', utcOffset: '+0000' };

/** The constants of a deployment, as its own records show them. */
export function constantsOf(deployment: Deployment): Constants {
  const { runtimeTag, plugins, timezone } = deployment;
  const [plugin = ''] = plugins;
  const { pluginLoaderFilePath, lineNumber: loaderLine } = loadFailureFields(deployment, plugin);
  const { sessionFilePath, lineNumber: sessionLine } = deprecationFields(deployment);
  return {
    runtimeTag,
    plugins,
    pluginFilePaths: plugins.map((name) => loadFailureFields(deployment, name).pluginFilePath),
    pluginLoaderFilePath,
    loaderLine,
    sessionFilePath,
    sessionLine,
    timezone,
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
export class EntryReader {
  readonly #places: ReadonlyMap<string, number>;
  /** By the name that a path ends in, for paths that are wrong before it. */
  readonly #placesByName: ReadonlyMap<string, number>;
  readonly #end: number;
  /** The line that was read last, if it holds a record, and that record. */
  #line = 0;
  #recordText = '';
  /** The timestamp of a whole group that ends there. */
  #groupTimestamp = '';

  constructor({ plugins, pluginFilePaths }: Constants) {
    this.#places = new Map(pluginFilePaths.map((path, place) => [path, place]));
    this.#placesByName = new Map(plugins.map((name, place) => [name, place]));
    this.#end = plugins.length;
  }

  /**
   * The record on a line; undefined if there is none. A record that ends in CR, and one that stands behind half a record, is one too.
   *
   * @param text without the LF at its end
   * @param hasLf whether it had one
   */
  read(text: string, line: number, hasLf: boolean): CheckedEntry | undefined {
    const hasCr = text.endsWith('\r');
    const ending = hasCr ? 'CR' : hasLf ? undefined : 'nothing';
    const bytes = hasCr ? text.slice(0, -1) : text;
    const whole = parseRecord(bytes);
    const from = whole === undefined ? findJoined(bytes) : 0;
    const record = whole ?? (from > 0 ? parseRecord(copyBytes(bytes.slice(from))) : undefined);
    if (record === undefined) return undefined;
    const isOfGroup = record.kind === 'deprecation' && record.timestamp === this.#groupTimestamp;
    const isRepeated = this.#line === line - 1 && (isOfGroup || this.#recordText === bytes);
    // Behind half a record more is lost than can be told: what follows counts as incomplete.
    this.#line = from > 0 ? 0 : line;
    this.#recordText = bytes;
    this.#groupTimestamp = '';
    return { record, line, place: this.#placeOf(record), ending, prefix: bytes.slice(0, from), isRepeated };
  }

  /** Takes note of a whole group that was read in another way. @param line its last one */
  passWhole(line: number, timestamp: string): void {
    this.#line = line;
    this.#recordText = '';
    this.#groupTimestamp = timestamp;
  }

  #placeOf(record: LogRecord): number {
    if (record.kind === 'deprecation') return this.#end;
    const path = record.pluginFilePath;
    return this.#places.get(path) ?? this.#placesByName.get(pluginNameIn(path)) ?? UNKNOWN;
  }
}

/** Where the record at the end of a line may begin, if anything stands before it; 0 or less if not. */
function findJoined(text: string): number {
  const literalAt = Math.max(text.lastIndexOf(LOAD_FAILURE), text.lastIndexOf(HANDLER_NOTICE));
  return literalAt === -1 ? 0 : text.lastIndexOf('[', literalAt);
}

/** The name of the plugin that a path ends in. */
export function pluginNameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}
