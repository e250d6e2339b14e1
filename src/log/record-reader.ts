import { isFieldText } from './byte-string.js';
import { descriptorOf, loadFailureOf, parseRecord, type Deprecation, type LoadFailure, type LogRecord } from './line.js';
import { UTC_OFFSET_END, type LoadFailureConstants } from './record.js';

const MAX_TEXTS = 16;

/** A cached text is a slice that keeps its whole line in memory: longer lines are not cached. */
const MAX_LINE_BYTES = 4096;

interface CachedText {
  /** Stands between the stamp, or the session id behind it, and the descriptor of a load failure. */
  readonly text: string;
  readonly constants: LoadFailureConstants;
}

const AFTER_STAMP = ']: ';
const SESSION_ID = /<([0-9A-Za-z,-]{1,256})> /y;

export const TAG_AT = UTC_OFFSET_END + AFTER_STAMP.length;

/**
 * Reads lines with the results of `parseRecord`. A cache saves most of the parsing: most records share their stamp with the
 * record before, and all but stamp, session id and descriptor with an earlier one.
 */
export class RecordReader {
  readonly #cache: CachedText[] = [];
  #hit = 0;
  /** The last load failure that was parsed, and the beginning of its line. */
  #latest: LoadFailure | undefined;
  #stamp = '';
  /** The last deprecation record, and its line: deprecation records of one second are equal. */
  #deprecation: Deprecation | undefined;
  #deprecationLine = '';

  read(line: string): LogRecord | undefined {
    if (this.#deprecation !== undefined && line === this.#deprecationLine) return this.#deprecation;
    return this.#readCached(line) ?? this.#parse(line);
  }

  #readCached(line: string): LoadFailure | undefined {
    if (this.#latest === undefined || !line.startsWith(this.#stamp) || !line.endsWith(')')) return undefined;
    if (line.charCodeAt(TAG_AT) !== LESS_THAN) return this.#readText(this.#latest, line, TAG_AT);
    // A runtime tag may look like a session id: then the whole text is a cached one.
    const sessionId = sessionIdIn(line);
    const textAt = sessionId === undefined ? TAG_AT : TAG_AT + `<${sessionId}> `.length;
    return this.#readText(this.#latest, line, textAt, sessionId) ?? this.#readText(this.#latest, line, TAG_AT);
  }

  #readText(latest: LoadFailure, line: string, textAt: number, sessionId?: string): LoadFailure | undefined {
    const cached = this.#find(line, textAt);
    if (cached === undefined) return undefined;
    const methodAt = textAt + cached.text.length;
    const space = line.indexOf(' ', methodAt);
    const httpMethod = line.slice(methodAt, Math.max(space, methodAt));
    const requestTarget = line.slice(space + 1, -1);
    if (httpMethod === '' || requestTarget === '' || !isFieldText(httpMethod) || !isFieldText(requestTarget)) return undefined;
    return loadFailureOf(latest, cached.constants, httpMethod, requestTarget, sessionId);
  }

  /** The text of the next plugin is tried first. */
  #find(line: string, at: number): CachedText | undefined {
    const count = this.#cache.length;
    for (let step = 1; step <= count; step += 1) {
      const index = (this.#hit + step) % count;
      const cached = this.#cache[index];
      if (cached === undefined || !hasText(line, at, cached.text)) continue;
      this.#hit = index;
      return cached;
    }
    return undefined;
  }

  #parse(line: string): LogRecord | undefined {
    const record = parseRecord(line);
    if (record?.kind === 'deprecation') {
      this.#deprecation = record;
      this.#deprecationLine = line;
    } else if (record?.kind === 'load_failure') {
      this.#latest = record;
      this.#stamp = line.slice(0, TAG_AT);
      this.#addText(line, record);
    }
    return record;
  }

  #addText(line: string, failure: LoadFailure): void {
    if (this.#cache.length === MAX_TEXTS || line.length > MAX_LINE_BYTES) return;
    const { sessionId, runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber } = failure;
    const textAt = sessionId === undefined ? TAG_AT : TAG_AT + `<${sessionId}> `.length;
    const text = line.slice(textAt, -`${descriptorOf(failure)})`.length);
    if (this.#cache.some((cached) => cached.text === text)) return;
    this.#cache.push({ text, constants: { runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber } });
  }
}

const LESS_THAN = 0x3c;
const OPENING = 0x28;

export function sessionIdIn(line: string): string | undefined {
  SESSION_ID.lastIndex = TAG_AT;
  return SESSION_ID.exec(line)?.[1];
}

/** True for a line that has a text, which ends in `(`, at an index. Comparing a slice is faster than `startsWith`. */
function hasText(line: string, at: number, text: string): boolean {
  const end = at + text.length;
  return line.charCodeAt(end - 1) === OPENING && line.slice(at, end) === text;
}
