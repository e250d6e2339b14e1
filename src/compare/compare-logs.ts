import { requireOptions, requireSource, requireSources } from '../arguments.js';
import type { ComparedSource, CompareOptions } from './compare-options.js';
import type { ComparisonFinding } from './kinds.js';
import { LogComparer } from './log-comparer.js';
import { COMPARE_OPTIONS } from './require-options.js';

/**
 * Compares what a pipeline delivered with the log that was sent. Gives batches of findings: missing records as they are known, in the
 * order of the expected log, then findings at received lines, in the order of those.
 *
 * @param received the inputs, in order
 * @throws TypeError if an argument is of a wrong type, or an option, a kind or the name of a field is unknown
 * @throws CallError if a temporary file cannot be written, and what reading an input throws
 */
export async function* compareLogs(
  expected: ComparedSource,
  received: readonly ComparedSource[],
  options: CompareOptions = {},
): AsyncGenerator<readonly ComparisonFinding[]> {
  requireSource(expected, 'expected');
  requireSources(received, 'received');
  requireOptions(options, 'options', COMPARE_OPTIONS);
  const comparer = new LogComparer(expected, received, options);
  try {
    let left = options.max ?? Infinity;
    for await (const findings of comparer.run()) {
      yield findings.slice(0, left);
      left -= Math.min(left, findings.length);
    }
    options.onEnd?.(await comparer.summarize());
  } finally {
    await comparer.close();
  }
}
