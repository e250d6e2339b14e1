import type { Kinds } from '../../wording.js';
import type { Options } from './option.js';
import { LINES, listOf } from './values.js';

/** The most findings that a report shows unless told otherwise. */
const DEFAULT_MAX = 100;

/**
 * The options of a report of findings.
 *
 * @param allowed what `--allow` accepts: `violations of these rules`
 * @param limited what `--max` limits: `violations; all are counted`
 */
export function findingOptions<Kind extends string>(
  placeholder: string,
  kinds: Readonly<Record<Kind, Kinds[string]>>,
  allowed: string,
  limited: string,
) {
  return {
    allow: {
      value: listOf(placeholder, kinds),
      meaning: `accept ${allowed}, separated by commas; may be repeated`,
      detail: 'They are counted, but not reported.',
    },
    max: { value: LINES, meaning: `write at most this many ${limited}`, default: DEFAULT_MAX },
    json: { meaning: 'write NDJSON, for machines' },
  } satisfies Options;
}
