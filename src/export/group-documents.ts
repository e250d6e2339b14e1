import type { GroupConstants, WholeGroup } from '../reading/whole-group.js';
import type { DocumentForm } from './document-form.js';
import { cutSkeleton, type GroupValues, type SkeletonKind } from './document-skeleton.js';
import type { DocumentTemplate } from './document-template.js';
import { digitsOf, DocumentTemplates, MAX_TARGET_BYTES } from './document-templates.js';
import type { FieldPlaces } from './line-place.js';
import { splitTarget } from './split-target.js';

/** A whole group whose documents are made from a template. */
export interface TemplatedGroup extends GroupValues {
  readonly template: DocumentTemplate;
  readonly recordCount: number;
  /** The line of its last record, counted over all files. */
  readonly line: number;
}

/** Targets that JSON holds unchanged: in origin-form, of printable ASCII without quotes and backslashes. */
const PLAIN_TARGET = /^\/[!#-[\]-~]*$/;

/** Bounds the memory of skeletons: a log can show any number of methods. The groups of others are formatted record by record. */
const MAX_SKELETONS = 16;

/**
 * Finds templates for the documents of whole groups. The documents of a deployment's groups differ in a few values: they are formatted
 * once (`cutSkeleton`), laid out once for each combination of lengths (`DocumentTemplates`), and patched for each group
 * (`DocumentTemplate`).
 */
export class GroupDocuments {
  readonly #form: DocumentForm;
  readonly #places: FieldPlaces;
  #constants: GroupConstants | undefined;
  #utcOffset = '';
  #source: string | undefined;
  /** The templates of the groups of one deployment, UTC offset and file, by method and kind of target. */
  readonly #templates = new Map<string, DocumentTemplates | undefined>();

  constructor(form: DocumentForm, places: FieldPlaces) {
    this.#form = form;
    this.#places = places;
  }

  /**
   * Takes a group whose documents can be made from a template. Undefined for any other group: one whose target JSON escapes, or whose
   * numbers of lines are not all of the same length.
   *
   * @param number the number of the group
   */
  take(group: WholeGroup, number: number): TemplatedGroup | undefined {
    const { target, line: firstLine, timestamp } = group;
    const { recordCount } = group.constants;
    if (target.length > MAX_TARGET_BYTES || !PLAIN_TARGET.test(target)) return undefined;
    const { line: fileLine, source } = this.#places.of(firstLine);
    const line = firstLine + recordCount - 1;
    if (digitsOf(line) !== digitsOf(firstLine) || digitsOf(fileLine + recordCount - 1) !== digitsOf(fileLine)) return undefined;
    const { path = '', query, fragment } = splitTarget(target);
    const kind = { hasQuery: query !== undefined, hasFragment: fragment !== undefined, source };
    const templates = this.#templatesFor(group, kind);
    if (templates === undefined) return undefined;
    const values = {
      timestamp,
      instant: this.#form.formatInstant(group.second),
      path,
      query: query ?? '',
      fragment: fragment ?? '',
      firstLine,
      fileLine,
      group: number,
    };
    return {
      timestamp,
      instant: values.instant,
      path,
      query: values.query,
      fragment: values.fragment,
      firstLine,
      fileLine,
      group: number,
      template: templates.of(values),
      recordCount,
      line,
    };
  }

  #templatesFor(group: WholeGroup, kind: SkeletonKind): DocumentTemplates | undefined {
    const { constants, utcOffset, method } = group;
    if (constants !== this.#constants || utcOffset !== this.#utcOffset || kind.source !== this.#source) {
      this.#templates.clear();
      this.#constants = constants;
      this.#utcOffset = utcOffset;
      this.#source = kind.source;
    }
    const key = `${kind.hasQuery ? '?' : ''}${kind.hasFragment ? '#' : ''} ${method}`;
    const known = this.#templates.get(key);
    if (known !== undefined || this.#templates.size === MAX_SKELETONS || this.#templates.has(key)) return known;
    const skeleton = cutSkeleton(this.#form, group, kind);
    const templates = skeleton === undefined ? undefined : new DocumentTemplates(skeleton);
    this.#templates.set(key, templates);
    return templates;
  }
}
