import { requireOptions, requireSource, requireSources } from '../arguments.js';
import { Comparer, type Blocks } from './comparer.js';
import type { ComparisonFinding } from './findings.js';
import { COMPARE_OPTIONS, type ComparedSource, type CompareOptions } from './options.js';
import type { RecordReader } from './records.js';

/**
 * Compares what a pipeline delivered with the log that was sent. Gives batches of findings as they are known, gap by gap in the order of
 * the logs: what is missing in a gap, then what came there.
 *
 * @param received the inputs, in order
 * @throws TypeError if an argument has the wrong type, or an option, a kind or the name of a field is unknown
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
  const comparer = new Comparer(expected, received, options, false);
  const blocks = {
    sent: readBlocks([expected], [comparer.sentReader]),
    received: readBlocks(received, comparer.receivedReaders),
  };
  try {
    yield* comparer.compare(blocks);
    yield* comparer.end();
    options.onEnd?.(comparer.summary);
  } finally {
    await blocks.sent.return(undefined);
    await blocks.received.return(undefined);
    comparer.close();
  }
}

/** Reads inputs one after the other. */
async function* readBlocks(sources: readonly ComparedSource[], readers: readonly RecordReader[]): Blocks {
  for (const [input, reader] of readers.entries()) {
    for await (const chunk of sources[input]?.chunks ?? []) yield* reader.read(chunk, NaN);
    yield* reader.read(undefined, NaN);
  }
  return undefined;
}
