import { encodeText } from '../log/byte-string.js';
import { ByteTemplates, digitsOf, type Blank, type ByteTemplate, type Value } from '../log/byte-templates.js';
import { isPlainJson } from '../log/json-text.js';
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

/** The parts of a request target in origin-form that needs no escaping in JSON; the path without its first slash. */
type PlainTarget = readonly [path: string, query: string | undefined, fragment: string | undefined];

/** Groups with longer targets, or with more bytes of documents, have no template. */
const MAX_TARGET_LENGTH = 1023;
const MAX_TEMPLATE_BYTES = 1 << 20;

/** Each more than the largest possible length: of a part of a target, plus 1 if present, of an instant, and of a number in digits. */
const PART_LENGTHS = MAX_TARGET_LENGTH + 2;
const INSTANT_LENGTHS = 64;
const DIGIT_LENGTHS = 17;

/** Most logs repeat a few targets. */
const MAX_CACHED_TARGETS = 4096;

/** More methods than a webmail sees; each has templates of its own. */
const MAX_METHODS = 16;

/**
 * The values in which groups of one deployment, method, UTC offset and file differ. Lines are counted over all files, and in the
 * file.
 */
const BLANKS: readonly Blank[] = [
  { samples: ['18-May-2025 10:20:30', '29-Jun-3136 21:31:41'] },
  { samples: ['I', 'i'] },
  { samples: ['S', 's'] },
  { samples: ['P', 'p'] },
  { samples: ['Q', 'q'] },
  { samples: ['F', 'f'] },
  { samples: ['7', '8'] },
  { samples: ['3', '4'], counts: true },
  { samples: ['5', '6'], counts: true },
];

/** Finds templates for the documents of whole groups, with the bytes that the form gives record by record. */
export class GroupDocuments {
  readonly #form: DocumentForm;
  readonly #placeOf: PlaceOf;
  readonly #targets = new Map<string, PlainTarget>();
  /** The templates of each method, as long as nothing changes of what follows. */
  readonly #templates = new Map<string, ByteTemplates>();
  #constants: WholeGroup['constants'] | undefined;
  #utcOffset = '';
  #source: string | undefined;
  #lengths = 0;
  #group: WholeGroup | undefined;

  constructor(form: DocumentForm, placeOf: PlaceOf) {
    this.#form = form;
    this.#placeOf = placeOf;
  }

  /** Undefined if there is none: the target is not plain, or line numbers differ in length. */
  find(group: WholeGroup, number: number): TemplatedGroup | undefined {
    const { timestamp, line: firstLine, second, sessionId, constants, utcOffset, method } = group;
    const target = this.#splitPlain(group.target);
    if (target === undefined) return undefined;
    const { line: fileLine, source } = this.#placeOf(firstLine);
    const line = lastLineOf(group);
    const [digits, fileDigits] = [digitsOf(firstLine), digitsOf(fileLine)];
    if (digits !== digitsOf(line) || fileDigits !== digitsOf(fileLine + line - firstLine)) return undefined;
    const instant = this.#form.formatInstant(second);
    const lengths = ((digits * DIGIT_LENGTHS + fileDigits) * DIGIT_LENGTHS + digitsOf(number)) * INSTANT_LENGTHS + instant.length;
    if (
      constants !== this.#constants ||
      utcOffset !== this.#utcOffset ||
      source !== this.#source ||
      lengths !== this.#lengths ||
      this.#templates.size === MAX_METHODS
    ) {
      this.#constants = constants;
      this.#utcOffset = utcOffset;
      this.#source = source;
      this.#lengths = lengths;
      this.#templates.clear();
    }
    const [path, query, fragment] = target;
    const values = [timestamp, instant, sessionId, path, query, fragment, number, firstLine, fileLine];
    this.#group = group;
    // Without a session id, a key is small, which makes it fast.
    const targetLengths = (path.length * PART_LENGTHS + lengthOf(query)) * PART_LENGTHS + lengthOf(fragment);
    const template = this.#templatesOf(method).find(targetLengths + lengthOf(sessionId) * PART_LENGTHS ** 3, values);
    return template && { template, values, recordCount: constants.recordCount, line };
  }

  #templatesOf(method: string): ByteTemplates {
    let templates = this.#templates.get(method);
    if (templates === undefined) {
      templates = new ByteTemplates(BLANKS, (samples) => this.#group && this.#formatSample(this.#group, samples));
      this.#templates.set(method, templates);
    }
    return templates;
  }

  /** Byte strings, so that offsets are those of bytes. */
  #formatSample(group: WholeGroup, samples: readonly string[]): readonly string[] | undefined {
    const [timestamp = '', instant = '', sessionId = '', path = '', query = '', fragment = '', number, line, fileLine] = samples;
    const [, ownQuery, ownFragment] = this.#splitPlain(group.target) ?? [];
    const target = `/${path}${ownQuery === undefined ? '' : `?${query}`}${ownFragment === undefined ? '' : `#${fragment}`}`;
    const sample = { ...group, timestamp, target, ...(sessionId !== '' && { sessionId }) };
    const { second } = group;
    const place = { line: Number(fileLine), source: this.#source };
    const documents = recordsOf(sample).map((record) => {
      const logged = { record, line: Number(line), text: formatRecord(record), group: Number(number), second };
      // An instant has quotes, which values in JSON do not have, so that it stands nowhere else.
      return encodeText(this.#form.format(logged, place)).replace(this.#form.formatInstant(second), instant);
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
