import { DataError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import { writePieces, type WriteOptions } from '../output/pack.js';
import { renderSummary, type Piece } from '../output/piece.js';
import { endWithFindings } from './exit.js';
import { eraseStatus } from './messages.js';

interface Report<Finding> {
  readonly findings: AsyncIterable<readonly Finding[]>;
  readonly format: (finding: Finding) => string;
  /** The last line, and the number of findings that are not allowed; undefined if nothing has been read. */
  readonly summarize: () => { readonly text: string; readonly total: number } | undefined;
}

/**
 * Writes the findings of a report as they come, a line each, then the summary, and sets the exit code where something was found. Of an
 * input that cannot be read to its end, the summary is that of what came before, and the error is thrown after it.
 */
export async function writeReport<Finding>(
  { findings, format, summarize }: Report<Finding>,
  output: Destination,
  signal: AbortSignal,
  options?: WriteOptions,
): Promise<void> {
  let total = 0;
  const render = async function* (): AsyncGenerator<Iterable<Piece>> {
    let failure: DataError | undefined;
    try {
      for await (const batch of findings) {
        // On a terminal that shows the report too.
        eraseStatus();
        yield batch.map((finding) => ({ bytes: Buffer.from(format(finding)), count: 1, origin: {} }));
      }
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      failure = error;
    }
    const summary = summarize();
    total = summary?.total ?? 0;
    eraseStatus();
    if (summary !== undefined) yield [renderSummary(summary.text)];
    if (failure !== undefined) throw failure;
  };
  await writePieces(render(), output, signal, options);
  if (total > 0) endWithFindings();
}
