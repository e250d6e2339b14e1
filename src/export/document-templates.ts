import type { GroupValues, Skeleton } from './document-skeleton.js';
import { DocumentTemplate } from './document-template.js';
import { MAX_PLAIN_LENGTH } from './plain-target.js';

/** Bounds the memory of templates, whatever lengths values have: all are dropped when they would exceed this many bytes. */
const MAX_TEMPLATE_BYTES = 4 << 20;

/** More than any length of the part of a target, of the text of an instant, and of a line number in digits. */
const TARGET_LENGTHS = MAX_PLAIN_LENGTH + 1;
const INSTANT_LENGTHS = 128;
const DIGIT_LENGTHS = 17;

/** The templates of a skeleton, by the lengths of the values. */
export class DocumentTemplates {
  readonly #skeleton: Skeleton;
  readonly #templates = new Map<number, DocumentTemplate>();
  #bytes = 0;

  constructor(skeleton: Skeleton) {
    this.#skeleton = skeleton;
  }

  /** The template for values of these lengths. */
  of(values: GroupValues): DocumentTemplate {
    const key = keyOf(values);
    return this.#templates.get(key) ?? this.#add(key, values);
  }

  #add(key: number, values: GroupValues): DocumentTemplate {
    const template = new DocumentTemplate(this.#skeleton, values);
    if (this.#bytes + template.byteLength > MAX_TEMPLATE_BYTES) {
      this.#templates.clear();
      this.#bytes = 0;
    }
    this.#bytes += template.byteLength;
    this.#templates.set(key, template);
    return template;
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
