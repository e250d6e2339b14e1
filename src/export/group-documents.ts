import { isPlainJson } from '../log/json-text.js';
import { TemplateCache } from '../log/template-cache.js';
import type { GroupConstants, WholeGroup } from '../reading/whole-group.js';
import { partsOf } from '../requests/target.js';
import type { DocumentForm, FieldPlaces } from './document-form.js';
import { digitsOf, makeTemplate, type DocumentTemplate, type GroupValues, type PlainTarget } from './document-template.js';

/** A whole group whose documents a template renders. */
export interface TemplatedGroup {
  readonly template: DocumentTemplate;
  readonly values: GroupValues;
  readonly recordCount: number;
  /** The line of its last record, counted over all files. */
  readonly line: number;
}

/** Bounds the memory of templates: a log may have any number of methods. Groups with further methods have no template. */
const MAX_METHODS = 16;

/** Bounds the memory of templates: groups with longer targets have no template. */
const MAX_TARGET_LENGTH = 1023;

/** The most cached targets: most logs repeat a few. */
const MAX_CACHED_TARGETS = 4096;

/**
 * Finds templates for the documents of whole groups, with the bytes that the form gives record by record. Groups of a deployment differ in
 * few values. Documents are formatted once for each combination of the lengths of these values (`makeTemplate`), and patched for each
 * group (`DocumentTemplate`).
 */
export class GroupDocuments {
  readonly #form: DocumentForm;
  readonly #places: FieldPlaces;
  readonly #targets = new Map<string, PlainTarget>();
  #constants: GroupConstants | undefined;
  #utcOffset = '';
  #source: string | undefined;
  /** Templates of this deployment, UTC offset and file, by method and length of the session id; undefined where there are none. */
  readonly #templates = new Map<string, TemplateCache<DocumentTemplate> | undefined>();

  constructor(form: DocumentForm, places: FieldPlaces) {
    this.#form = form;
    this.#places = places;
  }

  /**
   * Finds the template for a group. Undefined if there is none: its target is not plain, or its line numbers differ in length.
   *
   * @param number the number of the group
   */
  find(group: WholeGroup, number: number): TemplatedGroup | undefined {
    const { timestamp, line: firstLine, second, sessionId } = group;
    const { recordCount } = group.constants;
    const target = this.#splitPlain(group.target);
    if (target === undefined) return undefined;
    const { path, query, fragment } = target;
    const { line: fileLine, source } = this.#places.of(firstLine);
    const after = recordCount - 1;
    if (digitsOf(firstLine) !== digitsOf(firstLine + after) || digitsOf(fileLine) !== digitsOf(fileLine + after))
      return undefined;
    const instant = this.#form.formatInstant(second);
    const values = { timestamp, instant, sessionId, path, query, fragment, firstLine, fileLine, group: number };
    const template = this.#templateFor(group, values, source);
    return template && { template, values, recordCount, line: firstLine + after };
  }

  /** The parts of a target; undefined for a target that is not plain. */
  #splitPlain(target: string): PlainTarget | undefined {
    const cached = this.#targets.get(target);
    if (cached !== undefined) return cached;
    if (!target.startsWith('/') || target.length > MAX_TARGET_LENGTH || !isPlainJson(target)) return undefined;
    const { path, query, fragment } = partsOf(target);
    const parts = { path: path.slice(1), query, fragment };
    if (this.#targets.size < MAX_CACHED_TARGETS) this.#targets.set(target, parts);
    return parts;
  }

  #templateFor(group: WholeGroup, values: GroupValues, source: string | undefined): DocumentTemplate | undefined {
    const { constants, utcOffset } = group;
    const method = values.sessionId === undefined ? group.method : `${group.method} ${String(values.sessionId.length)}`;
    if (constants !== this.#constants || utcOffset !== this.#utcOffset || source !== this.#source) {
      this.#constants = constants;
      this.#utcOffset = utcOffset;
      this.#source = source;
      this.#templates.clear();
    }
    let templates = this.#templates.get(method);
    if (templates === undefined) {
      if (this.#templates.has(method) || this.#templates.size === MAX_METHODS) return undefined;
      templates = new TemplateCache();
      this.#templates.set(method, templates);
    }
    const lengths = lengthsOf(values);
    const known = templates.get(lengths);
    if (known !== undefined) return known;
    const template = makeTemplate(this.#form, group, values, source);
    if (template !== undefined) return templates.add(lengths, template, template.byteLength);
    this.#templates.set(method, undefined);
    return undefined;
  }
}

/** Each more than the largest possible value: length of a target's component (plus 1 if present), of an instant, of a number in digits. */
const TARGET_LENGTHS = MAX_TARGET_LENGTH + 2;
const INSTANT_LENGTHS = 128;
const DIGIT_LENGTHS = 17;

/** Encodes the lengths of values as one number below 2^53. */
function lengthsOf({ instant, path, query, fragment, firstLine, fileLine, group }: GroupValues): number {
  const queryLength = query === undefined ? 0 : 1 + query.length;
  const fragmentLength = fragment === undefined ? 0 : 1 + fragment.length;
  const target = (path.length * TARGET_LENGTHS + queryLength) * TARGET_LENGTHS + fragmentLength;
  const numbers = (digitsOf(firstLine) * DIGIT_LENGTHS + digitsOf(fileLine)) * DIGIT_LENGTHS + digitsOf(group);
  return (target * INSTANT_LENGTHS + instant.length) * DIGIT_LENGTHS ** 3 + numbers;
}
