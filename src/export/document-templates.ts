import type { GroupValues, Skeleton } from './document-skeleton.js';
import { DocumentTemplate } from './document-template.js';

/** Bounds the memory of templates, whatever lengths values have: all are dropped when they would exceed this many bytes. */
const MAX_TEMPLATE_BYTES = 4 << 20;

/** The parts of a target that has a template are shorter than this; so is the text of an instant. */
export const MAX_TARGET_BYTES = 1024;

/** More than the digits of a safe integer. */
const MAX_DIGITS = 17;

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

/** The lengths of values as one number below 2^53. */
function keyOf({ instant, path, query, fragment, firstLine, fileLine, group }: GroupValues): number {
  const digits = (digitsOf(firstLine) * MAX_DIGITS + digitsOf(fileLine)) * MAX_DIGITS + digitsOf(group);
  const texts = ((path.length * MAX_TARGET_BYTES + query.length) * MAX_TARGET_BYTES + fragment.length) * 128 + instant.length;
  return texts * MAX_DIGITS ** 3 + digits;
}

/** The number of digits of a whole number from 0 on. */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
