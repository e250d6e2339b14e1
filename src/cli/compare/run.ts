import { compareLogs } from '../../compare/compare-logs.js';
import type { ComparedSource } from '../../compare/options.js';
import { CallError, DataError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import { runCommand } from '../command-run.js';
import { measureRead, openSource, refuseTerminal, STDIN } from '../inputs.js';
import { compareGrowing } from './follow.js';
import { comparedBy, writeReport, type CompareOptions, type ComparisonEnd } from './write-report.js';

/**
 * Runs `compare`.
 *
 * @param expected the log that was sent
 * @param received what was delivered, in order; standard input where none is named
 * @throws the errors that `endWith` handles
 */
export async function runCompare(expected: string, received: readonly string[], options: CompareOptions): Promise<void> {
  const names = received.length === 0 ? [STDIN] : received;
  if ([expected, ...names].filter((name) => name === STDIN).length > 1) {
    throw new CallError({ source: STDIN }, 'standard input can be read only once', 'name the log that was sent');
  }
  if (received.length === 0) refuseTerminal('compare', 'received input');
  if (options.wait === undefined) await compareInputs(expected, names, options);
  else await compareGrowing(expected, names, options, options.wait);
}

async function compareInputs(expected: string, received: readonly string[], options: CompareOptions): Promise<void> {
  await runCommand({ ...options, noun: 'finding' }, async (run) => {
    const sent = await openSource(expected, 'compare', 'expected log', run);
    const delivered: Input[] = [];
    for (const name of received) delivered.push(await openSource(name, 'compare', 'received input', run));
    const inputs = [sent, ...delivered];
    const output = await run.openOutput(() => measureRead(inputs));
    const source = new InputSource(sent);
    const others = delivered.map((input) => new InputSource(input));
    const ends: ComparisonEnd[] = [];
    const findings = compareLogs(source, others, { ...comparedBy(options), onEnd: (summary) => ends.push({ summary }) });
    const receivedSources = others.map((other) => other.source);
    const unusable = await writeReport(
      { findings, end: () => ends[0], expectedSource: source.source, receivedSources },
      options,
      output,
      run.signal,
    );
    return [source, ...others].map(({ fault }) => fault).find((fault) => fault !== undefined) ?? unusable;
  });
}

/** An input as the comparison reads it. A fault of the data ends its bytes: what came before is compared. */
class InputSource implements ComparedSource {
  readonly source: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly readAt?: (buffer: Uint8Array, position: number) => number;
  fault: DataError | undefined;

  constructor({ source, blocks, readAt }: Input) {
    this.source = source;
    this.chunks = this.#readToFault(blocks);
    if (readAt !== undefined) this.readAt = readAt;
  }

  async *#readToFault(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* blocks;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      this.fault = error;
    }
  }
}
