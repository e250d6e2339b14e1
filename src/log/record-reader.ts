import { isFieldText } from './byte-string.js';
import { descriptorOf, loadFailureOf, parseRecord, type Deprecation, type LoadFailure, type LogRecord } from './line.js';
import { UTC_OFFSET_END } from './record.js';

/** The most cached texts, one for each plugin. */
const MAX_TEXTS = 16;

/** A cached text is a slice that keeps its whole line in memory: longer lines are not cached. */
const MAX_LINE_BYTES = 4096;

/** The text between the stamp and the descriptor of a load failure, and a record with that text. */
interface CachedText {
  readonly text: string;
  readonly failure: LoadFailure;
}

/**
 * Reads the lines of a log one after the other, with the results of `parseRecord`. A cache saves most of the parsing: most records share
 * their stamp with the record before them, and all but stamp and descriptor with an earlier record.
 */
export class RecordReader {
  readonly #cache: CachedText[] = [];
  /** The index of the last cache hit. */
  #hit = 0;
  /** The last load failure that was parsed, and the beginning of its line up to the end of its stamp. */
  #latest: LoadFailure | undefined;
  #stamp = '';
  /** The last deprecation record, and its line: deprecation records of one second are equal. */
  #deprecation: Deprecation | undefined;
  #deprecationLine = '';

  /** Reads a line, a byte string without the LF at its end; undefined for a line that is not a record. */
  read(line: string): LogRecord | undefined {
    if (this.#deprecation !== undefined && line === this.#deprecationLine) return this.#deprecation;
    return this.#readCached(line) ?? this.#parse(line);
  }

  /** Reads a load failure that has the stamp of the latest load failure and a cached text. */
  #readCached(line: string): LoadFailure | undefined {
    if (this.#latest === undefined || !line.startsWith(this.#stamp) || !line.endsWith(')')) return undefined;
    const cached = this.#find(line);
    if (cached === undefined) return undefined;
    const methodAt = UTC_OFFSET_END + cached.text.length;
    const space = line.indexOf(' ', methodAt);
    const httpMethod = line.slice(methodAt, Math.max(space, methodAt));
    const requestTarget = line.slice(space + 1, -1);
    if (httpMethod === '' || requestTarget === '' || !isFieldText(httpMethod) || !isFieldText(requestTarget)) return undefined;
    return loadFailureOf(this.#latest, cached.failure, httpMethod, requestTarget);
  }

  /** Finds the cached text of a line; that of the next plugin is tried first. */
  #find(line: string): CachedText | undefined {
    const count = this.#cache.length;
    for (let step = 1; step <= count; step += 1) {
      const index = (this.#hit + step) % count;
      const cached = this.#cache[index];
      if (cached === undefined || !hasText(line, cached.text)) continue;
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
      this.#stamp = line.slice(0, UTC_OFFSET_END);
      this.#addText(line, record);
    }
    return record;
  }

  #addText(line: string, failure: LoadFailure): void {
    if (this.#cache.length === MAX_TEXTS || line.length > MAX_LINE_BYTES) return;
    const text = line.slice(UTC_OFFSET_END, -`${descriptorOf(failure)})`.length);
    if (this.#cache.every((cached) => cached.text !== text)) this.#cache.push({ text, failure });
  }
}

const OPENING = 0x28;

/** True for a line that has a text, which ends in `(`, behind its stamp. Comparing a slice is faster than `startsWith`. */
function hasText(line: string, text: string): boolean {
  const end = UTC_OFFSET_END + text.length;
  return line.charCodeAt(end - 1) === OPENING && line.slice(UTC_OFFSET_END, end) === text;
}
