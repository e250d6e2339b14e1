import { ReaderGoneError, StoppedError } from '../errors.js';

/**
 * Runs work, and reports when the work has ended, also if it failed. Silent only if the reader of a pipe went away.
 *
 * @returns what `report` returns
 */
export async function reportAtEnd<T>(work: () => Promise<void>, report: () => T): Promise<T | undefined> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoppedError && error.cause instanceof ReaderGoneError)) report();
    throw error;
  }
  return report();
}
