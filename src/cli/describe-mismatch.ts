import type { Comparison } from '../compare/options.js';
import type { FormMismatch } from '../compare/received-form.js';
import { countOf, quoteText, showBytes } from '../wording.js';

/** The number of keys of an object that a message names. */
const SHOWN_KEYS = 10;

/** A message shows this many characters of a key. */
const SHOWN_CHARACTERS = 40;

/** Describes why the received input as a whole could not be compared, and what to give. One line, safe to print on a terminal. */
export function describeMismatch(mismatch: FormMismatch, comparison: Comparison): string {
  if (mismatch.cause === 'is-json') return 'received is NDJSON; give --field or --fields';
  if (mismatch.cause === 'not-json') return 'received is not NDJSON, one object a line; try jq -c';
  const { objects, without, keys } = mismatch;
  const field = comparison.as === 'field' ? `the field ${quoteText(comparison.path)}` : 'a field that --fields names';
  const what =
    without === objects
      ? `no received object has ${field}`
      : `only ${String(objects - without)} of ${countOf(objects, 'received object')} have ${field}`;
  return `${what}; the first ${without === objects ? '' : 'without '}has: ${listKeys(keys)}`;
}

function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => showBytes(key, SHOWN_CHARACTERS));
  return keys.length === 0 ? 'no keys' : `${shown.join(', ')}${keys.length > SHOWN_KEYS ? ', …' : ''}`;
}
