import { requireOptions, requireSource, requireSources } from '../arguments.js';
import { Comparer } from './comparer.js';
import type { ComparisonFinding } from './findings.js';
import { COMPARE_OPTIONS, type ComparedSource, type CompareOptions } from './options.js';
import type { RecordBlock, RecordReader } from './records.js';
import type { Side } from './side.js';

/**
 * Compares what a pipeline delivered with the log that was sent. Gives batches of findings as they are known, gap by gap in the order of
 * the logs: what is missing in a gap, then what came there.
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
  const comparer = new Comparer(expected, received, options, false);
  const { join, settle, sentReader, receivedReaders } = comparer;
  const sentBlocks = readBlocks([expected], [sentReader]);
  const receivedBlocks = readBlocks(received, receivedReaders);
  try {
    for (let need = join.next(); need !== undefined; need = join.next()) {
      if (need === 'decision') yield* settle.decide(false);
      else if (need === 'sent') await feed(join.sent, sentBlocks);
      else await feed(join.received, receivedBlocks);
    }
    yield* settle.decide(true);
    options.onEnd?.(comparer.summary);
  } finally {
    await sentBlocks.return(undefined);
    await receivedBlocks.return(undefined);
    comparer.close();
  }
}

/** Gives a side its next block, or says that there is none. */
async function feed(side: Side, blocks: AsyncGenerator<RecordBlock>): Promise<void> {
  side.keep();
  const next = await blocks.next();
  if (next.done === true) side.isDry = true;
  else side.append(next.value);
}

/** Reads inputs one after the other. */
async function* readBlocks(sources: readonly ComparedSource[], readers: readonly RecordReader[]): AsyncGenerator<RecordBlock> {
  for (const [input, reader] of readers.entries()) {
    for await (const chunk of sources[input]?.chunks ?? []) yield* reader.read(chunk, NaN);
    yield* reader.end(NaN);
  }
}
