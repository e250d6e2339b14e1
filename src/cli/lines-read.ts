import { StoppedError } from '../errors.js';
import { Interrupted } from './signals.js';

/**
 * Runs work that reads a log and writes little: where it ends early, the message says after which line it stopped reading.
 *
 * @param noun what it writes (`report`)
 * @param work is given what it calls with the number of lines read so far
 * @throws StoppedError for a StoppedError or `Interrupted` of the work; what else it throws
 */
export async function withLinesRead(noun: string, work: (onRead: (lines: number) => void) => Promise<void>): Promise<void> {
  let lastLine: number | undefined;
  try {
    await work((lines) => {
      if (lines > 0) lastLine = lines;
    });
  } catch (error) {
    if (error instanceof StoppedError) throw new StoppedError(error.cause, error.groups, lastLine, noun);
    if (error instanceof Interrupted) throw new StoppedError(error, 0, lastLine, noun);
    throw error;
  }
}
