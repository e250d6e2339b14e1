import { StoppedError } from '../errors.js';
import type { Output } from '../output/destination.js';
import type { LinePlaces } from '../reading/line-places.js';
import { Interrupted } from './signals.js';
import { stoppedIn } from './stopped-in.js';

/**
 * Runs work that reads a log and writes a short report on it. Where the work ends early, the message says after which line it stopped
 * reading: lines of the report come from no line of the log.
 *
 * @param work is given what it calls with the number of lines read so far
 * @returns what the work returns
 * @throws StoppedError for a StoppedError or `Interrupted` of the work; other errors of the work unchanged
 */
export async function withLinesRead<T>(
  output: Output,
  places: LinePlaces,
  work: (onRead: (lines: number) => void) => Promise<T>,
): Promise<T> {
  let lastLine: number | undefined;
  try {
    return await work((lines) => {
      if (lines > 0) lastLine = lines;
    });
  } catch (error) {
    const cause = error instanceof StoppedError ? error.cause : error;
    if (error instanceof StoppedError || error instanceof Interrupted) {
      throw stoppedIn(new StoppedError(cause, output.written, lastLine, output.noun), places);
    }
    throw error;
  }
}
