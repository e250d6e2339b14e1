import { isFieldText } from './byte-string.js';
import { descriptorOf, loadFailureOf, parseRecord, type Deprecation, type LoadFailure, type LogRecord } from './line.js';
import { UTC_OFFSET_END } from './record.js';

/** The number of constant texts that are remembered, one for each plugin. */
const MAX_TEXTS = 16;

/** Texts are slices of their lines: nothing is remembered of a longer line, which would stay in memory. */
const MAX_LINE_BYTES = 4096;

/** The text of a load failure between its stamp and its descriptor, and a record that has it. */
interface Known {
  readonly text: string;
  readonly failure: LoadFailure;
}

/**
 * Reads the lines of a log one after the other, with the results of `parseRecord`. Most records share their stamp, and all but stamp and
 * descriptor, with records before them: what is shared is not read again. A log of concurrent requests is read in 0.8 of the time.
 */
export class RecordReader {
  readonly #known: Known[] = [];
  /** The index of the text that was found last. */
  #found = 0;
  /** The last load failure that was parsed, and the beginning of its line up to the end of its stamp. */
  #latest: LoadFailure | undefined;
  #stamp = '';
  /** The last deprecation record, and its line: those of a second are equal. */
  #deprecation: Deprecation | undefined;
  #deprecationLine = '';

  readonly #parseRecord: typeof parseRecord;

  /** @param parse reads the lines that share too little with those before them */
  constructor(parse = parseRecord) {
    this.#parseRecord = parse;
  }

  /** Reads a line, a byte string without the LF at its end; undefined for a line of any other kind. */
  read(line: string): LogRecord | undefined {
    if (this.#deprecation !== undefined && line === this.#deprecationLine) return this.#deprecation;
    return this.#readLike(line) ?? this.#parse(line);
  }

  /** Reads a load failure with the stamp of the last one, and a text that is known. */
  #readLike(line: string): LoadFailure | undefined {
    if (this.#latest === undefined || !line.startsWith(this.#stamp) || !line.endsWith(')')) return undefined;
    const known = this.#find(line);
    if (known === undefined) return undefined;
    const methodAt = UTC_OFFSET_END + known.text.length;
    const space = line.indexOf(' ', methodAt);
    const httpMethod = line.slice(methodAt, Math.max(space, methodAt));
    const requestTarget = line.slice(space + 1, -1);
    if (httpMethod === '' || requestTarget === '' || !isFieldText(httpMethod) || !isFieldText(requestTarget)) return undefined;
    return loadFailureOf(this.#latest, known.failure, httpMethod, requestTarget);
  }

  /** Finds the text of a line, from that of the next plugin on. */
  #find(line: string): Known | undefined {
    const count = this.#known.length;
    for (let step = 1; step <= count; step += 1) {
      const index = (this.#found + step) % count;
      const known = this.#known[index];
      if (known === undefined || !hasText(line, known.text)) continue;
      this.#found = index;
      return known;
    }
    return undefined;
  }

  #parse(line: string): LogRecord | undefined {
    const record = this.#parseRecord(line);
    if (record?.kind === 'deprecation') {
      this.#deprecation = record;
      this.#deprecationLine = line;
    } else if (record?.kind === 'load_failure') {
      this.#latest = record;
      this.#stamp = line.slice(0, UTC_OFFSET_END);
      this.#learn(line, record);
    }
    return record;
  }

  #learn(line: string, failure: LoadFailure): void {
    if (this.#known.length === MAX_TEXTS || line.length > MAX_LINE_BYTES) return;
    const text = line.slice(UTC_OFFSET_END, -`${descriptorOf(failure)})`.length);
    if (this.#known.every((known) => known.text !== text)) this.#known.push({ text, failure });
  }
}

const OPENING = 0x28;

/** True for a line with a text, which ends in a parenthesis, behind its stamp. A slice is compared twice as fast as by `startsWith`. */
function hasText(line: string, text: string): boolean {
  const end = UTC_OFFSET_END + text.length;
  return line.charCodeAt(end - 1) === OPENING && line.slice(UTC_OFFSET_END, end) === text;
}
