import { StoppedError } from '../errors.js';
import type { Output } from '../output/output.js';
import { Interrupted } from './signals.js';

/**
 * Runs work that reads a log and writes a short report on it. Where the work ends early, the message says after which line it stopped
 * reading: lines of the report come from no line of the log.
 *
 * @param work is given what it calls with the number of lines read so far
 * @throws StoppedError for a StoppedError or `Interrupted` of the work; other errors of the work unchanged
 */
export async function withLinesRead(output: Output, work: (onRead: (lines: number) => void) => Promise<void>): Promise<void> {
  let lastLine: number | undefined;
  try {
    await work((lines) => {
      if (lines > 0) lastLine = lines;
    });
  } catch (error) {
    const cause = error instanceof StoppedError ? error.cause : error;
    if (error instanceof StoppedError || error instanceof Interrupted) {
      throw new StoppedError(cause, output.written, lastLine, output.noun);
    }
    throw error;
  }
}
