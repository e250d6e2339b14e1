import { TemplateCache } from '../log/template-cache.js';
import type { GroupValues, Skeleton } from './document-skeleton.js';
import { DocumentTemplate } from './document-template.js';
import { MAX_PLAIN_LENGTH } from './plain-target.js';

/** More than any length of the part of a target, of the text of an instant, and of a line number in digits. */
const TARGET_LENGTHS = MAX_PLAIN_LENGTH + 1;
const INSTANT_LENGTHS = 128;
const DIGIT_LENGTHS = 17;

/** The templates of a skeleton, by the lengths of the values. */
export class DocumentTemplates {
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
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
