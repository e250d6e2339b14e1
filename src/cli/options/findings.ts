import type { Kinds } from '../../wording.js';
import type { Options } from './option.js';
import { LINES, listOf } from './values.js';

/** The most findings that a report shows unless told otherwise. */
const DEFAULT_MAX = 100;

/**
 * The options of a report of findings.
 *
 * @param words `placeholder`: that of a list of kinds; `noun`: a kind, for messages; `allowed`, `limited`: the objects of `--allow` and `--max`
 */
export function findingOptions<Kind extends string>(
  kinds: Readonly<Record<Kind, Kinds[string]>>,
  words: Readonly<Record<'placeholder' | 'noun' | 'allowed' | 'limited', string>>,
) {
  return {
    allow: {
      value: listOf(words.placeholder, words.noun, kinds),
      meaning: `accept ${words.allowed}, separated by commas; may be repeated`,
      detail: 'They are counted, but not reported.',
    },
    max: { value: LINES, meaning: `write at most this many ${words.limited}`, default: DEFAULT_MAX },
    json: { meaning: 'write NDJSON, for machines' },
  } satisfies Options;
}
