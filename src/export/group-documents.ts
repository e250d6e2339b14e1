import { TemplateCache } from '../log/template-cache.js';
import type { GroupConstants, WholeGroup } from '../reading/whole-group.js';
import type { DocumentForm, FieldPlaces } from './document-form.js';
import { cutSkeleton, type GroupValues, type Skeleton } from './document-skeleton.js';
import { MAX_PLAIN_LENGTH, PlainTargets, type TargetMarks } from './split-target.js';

/** A whole group whose documents a template renders. */
export interface TemplatedGroup {
  readonly template: DocumentTemplate;
  readonly values: GroupValues;
  readonly recordCount: number;
  /** The line of its last record, counted over all files. */
  readonly line: number;
}

/**
 * Bounds of the memory of skeletons: a log can show any number of methods, and 500 plugins with paths of 4 KiB. Groups beyond them have
 * no template.
 */
const MAX_SKELETONS = 16;
const MAX_SKELETON_BYTES = 1 << 20;

/**
 * Finds templates for the documents of whole groups, which give the bytes that the form gives record by record, in a sixth of the time.
 * The groups of a deployment differ in a few values only. Their documents are formatted once and cut at these values (`cutSkeleton`),
 * laid out once for each combination of the values' lengths (`DocumentTemplates`), and patched for each group (`DocumentTemplate`).
 */
export class GroupDocuments {
  readonly #form: DocumentForm;
  readonly #places: FieldPlaces;
  readonly #targets = new PlainTargets();
  #constants: GroupConstants | undefined;
  #utcOffset = '';
  #source: string | undefined;
  /** By the marks of the target and the method: templates for the groups of this deployment, UTC offset and file. */
  readonly #templates = new Map<string, DocumentTemplates | undefined>();

  constructor(form: DocumentForm, places: FieldPlaces) {
    this.#form = form;
    this.#places = places;
  }

  /**
   * Finds the template for a group. Undefined for a group without one: its target is not plain, or the numbers of its lines do not all
   * have the same length.
   *
   * @param number the number of the group
   */
  find(group: WholeGroup, number: number): TemplatedGroup | undefined {
    const { timestamp, line: firstLine, second } = group;
    const { recordCount } = group.constants;
    const target = this.#targets.split(group.target);
    if (target === undefined) return undefined;
    const { path, query, fragment, marks } = target;
    const { line: fileLine, source } = this.#places.of(firstLine);
    const after = recordCount - 1;
    if (digitsOf(firstLine) !== digitsOf(firstLine + after) || digitsOf(fileLine) !== digitsOf(fileLine + after))
      return undefined;
    const templates = this.#templatesFor(group, marks, source);
    if (templates === undefined) return undefined;
    const instant = this.#form.formatInstant(second);
    const values = { timestamp, instant, path, query, fragment, firstLine, fileLine, group: number };
    return { template: templates.of(values), values, recordCount, line: firstLine + after };
  }

  #templatesFor(group: WholeGroup, marks: TargetMarks, source: string | undefined): DocumentTemplates | undefined {
    const { constants, utcOffset, method } = group;
    if (constants !== this.#constants || utcOffset !== this.#utcOffset || source !== this.#source) {
      this.#constants = constants;
      this.#utcOffset = utcOffset;
      this.#source = source;
      this.#templates.clear();
    }
    const key = `${marks} ${method}`;
    const known = this.#templates.get(key);
    if (known !== undefined || this.#templates.has(key) || this.#templates.size === MAX_SKELETONS) return known;
    const skeleton = cutSkeleton(this.#form, group, { marks, source });
    const isSmall = skeleton !== undefined && bytesOf(skeleton) <= MAX_SKELETON_BYTES;
    const templates = isSmall ? new DocumentTemplates(skeleton) : undefined;
    this.#templates.set(key, templates);
    return templates;
  }
}

function bytesOf({ parts }: Skeleton): number {
  return parts.reduce((bytes, part) => bytes + part.length, 0);
}

/** More than any length of the part of a target, of the text of an instant, and of a line number in digits. */
const TARGET_LENGTHS = MAX_PLAIN_LENGTH + 1;
const INSTANT_LENGTHS = 128;
const DIGIT_LENGTHS = 17;

/** The templates of a skeleton, by the lengths of the values. */
class DocumentTemplates {
  readonly #skeleton: Skeleton;
  readonly #templates = new TemplateCache<DocumentTemplate>();

  constructor(skeleton: Skeleton) {
    this.#skeleton = skeleton;
  }

  /** The template for values of these lengths. */
  of(values: GroupValues): DocumentTemplate {
    const key = keyOf(values);
    const known = this.#templates.get(key);
    if (known !== undefined) return known;
    const template = new DocumentTemplate(this.#skeleton, values);
    return this.#templates.add(key, template, template.byteLength);
  }
}

/** The lengths of values as one number, which is less than 2^53. */
function keyOf({ instant, path, query, fragment, firstLine, fileLine, group }: GroupValues): number {
  const target = (path.length * TARGET_LENGTHS + query.length) * TARGET_LENGTHS + fragment.length;
  const numbers = (digitsOf(firstLine) * DIGIT_LENGTHS + digitsOf(fileLine)) * DIGIT_LENGTHS + digitsOf(group);
  return (target * INSTANT_LENGTHS + instant.length) * DIGIT_LENGTHS ** 3 + numbers;
}

/** The number of digits of a whole number from 0 on. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}

/** The places of a value in the documents of a group. */
interface ValuePlaces {
  /** The length of the value. */
  readonly length: number;
  /** The indexes of its bytes. */
  readonly indexes: number[];
  /** By how much a number is larger at each place than that of the first record. */
  readonly steps: number[];
}

/**
 * The bytes of the documents of a group. The next group whose values have the same lengths differs only at the places of these values:
 * its documents are made by patching.
 */
class DocumentTemplate {
  readonly #bytes: Buffer;
  readonly #places: Readonly<Record<keyof GroupValues, ValuePlaces>>;
  /** The numbers in the bytes now; 0 while there are none: they count from 1. */
  #firstLine = 0;
  #fileLine = 0;
  #group = 0;

  /** @param values of the lengths that the template is for */
  constructor({ parts, slots }: Skeleton, values: GroupValues) {
    const placesOf = (value: string | number): ValuePlaces => ({ length: String(value).length, indexes: [], steps: [] });
    const { timestamp, instant, path, query, fragment, firstLine, fileLine, group } = values;
    this.#places = {
      timestamp: placesOf(timestamp),
      instant: placesOf(instant),
      path: placesOf(path),
      query: placesOf(query),
      fragment: placesOf(fragment),
      firstLine: placesOf(firstLine),
      fileLine: placesOf(fileLine),
      group: placesOf(group),
    };
    const pieces = parts.flatMap((part, index) => {
      const slot = slots[index];
      return slot === undefined ? [part] : [part, Buffer.alloc(this.#places[slot.name].length)];
    });
    this.#bytes = Buffer.concat(pieces);
    let end = 0;
    for (const [index, { name, record }] of slots.entries()) {
      const { length, indexes, steps } = this.#places[name];
      end += parts[index]?.length ?? 0;
      indexes.push(end);
      steps.push(name === 'group' ? 0 : record);
      end += length;
    }
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /**
   * Renders the documents of a group, one for each record: UTF-8; each ends in LF.
   *
   * @param values of the lengths that the template is for; texts are ASCII
   * @returns bytes that are valid until the next call
   */
  render({ timestamp, instant, path, query, fragment, firstLine, fileLine, group }: GroupValues): Uint8Array {
    const bytes = this.#bytes;
    const places = this.#places;
    patchText(bytes, places.timestamp, timestamp);
    patchText(bytes, places.instant, instant);
    patchText(bytes, places.path, path);
    patchText(bytes, places.query, query);
    patchText(bytes, places.fragment, fragment);
    patchNumbers(bytes, places.firstLine, firstLine, this.#firstLine);
    patchNumbers(bytes, places.fileLine, fileLine, this.#fileLine);
    patchNumbers(bytes, places.group, group, this.#group);
    this.#firstLine = firstLine;
    this.#fileLine = fileLine;
    this.#group = group;
    return bytes;
  }
}

/** Replaces a text at all its places, from the first character to the last that differs. */
function patchText(bytes: Uint8Array, { indexes }: ValuePlaces, text: string): void {
  const [first = 0] = indexes;
  let from = 0;
  while (from < text.length && bytes[first + from] === text.charCodeAt(from)) from += 1;
  if (from === text.length) return;
  let until = text.length;
  while (bytes[first + until - 1] === text.charCodeAt(until - 1)) until -= 1;
  for (const index of indexes) {
    for (let at = from; at < until; at += 1) bytes[index + at] = text.charCodeAt(at);
  }
}

const ZERO = 0x30;

/**
 * Replaces a number at all its places, from its last digit up to where both numbers are the same.
 *
 * @param shown the number of the first record in the bytes now
 */
function patchNumbers(bytes: Uint8Array, { length, indexes, steps }: ValuePlaces, value: number, shown: number): void {
  if (value === shown) return;
  for (let place = 0; place < indexes.length; place += 1) {
    const first = indexes[place] ?? 0;
    const step = steps[place] ?? 0;
    let rest = value + step;
    let shownRest = shown + step;
    for (let at = first + length - 1; at >= first && rest !== shownRest; at -= 1) {
      const tenth = Math.floor(rest / 10);
      bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
      shownRest = Math.floor(shownRest / 10);
    }
  }
}
