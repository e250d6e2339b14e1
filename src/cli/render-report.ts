import { DataError } from '../errors.js';
import { renderSummary, type Piece } from '../output/piece.js';
import { eraseStatus } from './messages.js';

/**
 * Renders the findings of a report as they come, a line each, then the summary, undefined if nothing has been read. Of an input that
 * cannot be read to its end, the summary is that of what came before, and the error is thrown after it.
 */
export async function* renderReport<F>(
  findings: AsyncIterable<readonly F[]>,
  format: (finding: F) => string,
  summarize: () => string | undefined,
): AsyncGenerator<Iterable<Piece>> {
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
  eraseStatus();
  if (summary !== undefined) yield [renderSummary(summary)];
  if (failure !== undefined) throw failure;
}
