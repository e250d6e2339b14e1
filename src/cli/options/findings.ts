import type { Kinds } from '../../wording.js';
import type { Options } from './option.js';
import { LINES, listOf } from './values.js';

/** The most findings that a report shows unless told otherwise. */
const DEFAULT_MAX = 100;

/** The words of the options of a report. */
interface FindingWords {
  /** The placeholder of a list of kinds: `rules`. */
  readonly placeholder: string;
  /** A kind, for messages: `rule`. */
  readonly noun: string;
  /** The objects of `--allow`: `violations of these rules`. */
  readonly allowed: string;
  /** The objects of `--max`: `violations; all are counted`. */
  readonly limited: string;
}

/** The options of a report of findings. */
export function findingOptions<Kind extends string>(kinds: Readonly<Record<Kind, Kinds[string]>>, words: FindingWords) {
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
