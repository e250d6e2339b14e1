import { encodeText, isPlainJson } from '../log/byte-string.js';
import { ByteTemplates, digitsOf, type Blank, type ByteTemplate, type Value } from '../log/byte-templates.js';
import { formatRecord } from '../log/line.js';
import { lastLineOf, recordsOf, type WholeGroup } from '../reading/whole-group.js';
import { partsOf } from '../requests/target.js';
import type { DocumentForm, PlaceOf } from './document-form.js';

export interface TemplatedGroup {
  readonly template: ByteTemplate;
  readonly values: readonly Value[];
  readonly recordCount: number;
  /** The line of its last record, counted over all files. */
  readonly line: number;
}

/** A request target in origin-form that needs no escaping in JSON; the path without its first slash. */
type PlainTarget = readonly [path: string, query: string | undefined, fragment: string | undefined];

/** Groups with longer targets, or with more bytes of documents, have no template. */
const MAX_TARGET_LENGTH = 1023;
const MAX_TEMPLATE_BYTES = 1 << 20;

/** Each is more than any length: of a part of a target, plus 1 if present, of an instant, and of a number in digits. */
const PART_LENGTHS = MAX_TARGET_LENGTH + 2;
const INSTANT_LENGTHS = 64;
const DIGIT_LENGTHS = 17;

const MAX_CACHED_TARGETS = 4096;
const MAX_METHODS = 16;

/**
 * The values in which groups of one deployment, method, UTC offset and file differ: timestamp, instant, session id, the parts of the
 * target, number of the group, lines counted over all files, and in the file.
 */
const BLANKS: readonly Blank[] = [['18-May-2025 10:20:30', '29-Jun-3136 21:31:41'], ...'Ii Ss Pp Qq Ff 78 34 56'.split(' ')];
const FIRST_LINE_AT = 7;

export class GroupDocuments {
  readonly #targets = new Map<string, PlainTarget>();
  /** The templates of each method, as long as deployment and setting stay. */
  readonly #templates = new Map<string, ByteTemplates>();
  #constants: WholeGroup['constants'] | undefined;
  #setting = '';

  constructor(
    private readonly form: DocumentForm,
    private readonly placeOf: PlaceOf,
  ) {}

  /** Undefined if there is none: the target is not plain, or line numbers differ in length. */
  find(group: WholeGroup, number: number): TemplatedGroup | undefined {
    const { timestamp, line: firstLine, second, sessionId, constants, utcOffset, method } = group;
    const target = this.#splitPlain(group.target);
    if (target === undefined) return undefined;
    const { line: fileLine, source } = this.placeOf(firstLine);
    const line = lastLineOf(group);
    const [digits, fileDigits] = [digitsOf(firstLine), digitsOf(fileLine)];
    if (digits !== digitsOf(line) || fileDigits !== digitsOf(fileLine + line - firstLine)) return undefined;
    const instant = this.form.instantOf(second);
    const lengths =
      ((digits * DIGIT_LENGTHS + fileDigits) * DIGIT_LENGTHS + digitsOf(number)) * INSTANT_LENGTHS + lengthOf(instant);
    const setting = `${String(lengths)}${utcOffset}${source ?? ''}`;
    const isSame = constants === this.#constants && setting === this.#setting;
    if (!isSame || this.#templates.size === MAX_METHODS) this.#templates.clear();
    [this.#constants, this.#setting] = [constants, setting];
    const templates = this.#templates.get(method) ?? new ByteTemplates(BLANKS, FIRST_LINE_AT);
    this.#templates.set(method, templates);
    const [path, query, fragment] = target;
    const values = [timestamp, instant, sessionId, path, query, fragment, number, firstLine, fileLine];
    // Without a session id, a key is small, which makes it fast.
    const targetLengths = (path.length * PART_LENGTHS + lengthOf(query)) * PART_LENGTHS + lengthOf(fragment);
    const key = targetLengths + lengthOf(sessionId) * PART_LENGTHS ** 3;
    const template = templates.find(key, values, (samples) => this.#formatSample(group, target, source, samples));
    return template && { template, values, recordCount: constants.recordCount, line };
  }

  /** Byte strings, so that offsets are those of bytes. */
  #formatSample(
    group: WholeGroup,
    [, ownQuery, ownFragment]: PlainTarget,
    source: string | undefined,
    samples: readonly string[],
  ): readonly string[] | undefined {
    const [timestamp = '', instant = '', sessionId = '', path = '', query = '', fragment = '', number, line, fileLine] = samples;
    const target = `/${path}${ownQuery === undefined ? '' : `?${query}`}${ownFragment === undefined ? '' : `#${fragment}`}`;
    const sample = { ...group, timestamp, target, ...(sessionId !== '' && { sessionId }) };
    const { second } = group;
    const documents = recordsOf(sample).map((record) => {
      const logged = { record, line: Number(line), text: formatRecord(record), group: Number(number), second };
      const document = encodeText(this.form.format(logged, { line: Number(fileLine), source }));
      // Quotes stand around whole values alone.
      return document.replace(`"${this.form.instantOf(second) ?? ''}"`, `"${instant}"`);
    });
    return documents.reduce((bytes, { length }) => bytes + length, 0) <= MAX_TEMPLATE_BYTES ? documents : undefined;
  }

  #splitPlain(target: string): PlainTarget | undefined {
    const known = this.#targets.get(target);
    if (known !== undefined) return known;
    if (!target.startsWith('/') || target.length > MAX_TARGET_LENGTH || !isPlainJson(target)) return undefined;
    const { path, query, fragment } = partsOf(target);
    const parts: PlainTarget = [path.slice(1), query, fragment];
    if (this.#targets.size < MAX_CACHED_TARGETS) this.#targets.set(target, parts);
    return parts;
  }
}

function lengthOf(part: string | undefined): number {
  return part === undefined ? 0 : 1 + part.length;
}
