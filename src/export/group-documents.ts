import type { GroupConstants, WholeGroup } from '../reading/whole-group.js';
import type { DocumentForm } from './document-form.js';
import { cutSkeleton, type GroupValues, type Skeleton } from './document-skeleton.js';
import type { DocumentTemplate } from './document-template.js';
import { digitsOf, DocumentTemplates } from './document-templates.js';
import type { FieldPlaces } from './line-place.js';
import { PlainTargets, type TargetMarks } from './plain-target.js';

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
