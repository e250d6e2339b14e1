import { ReaderGoneError, StoppedError } from '../errors.js';

/** Runs work, and reports when the work has ended, also if it failed. Silent only if the reader of a pipe went away. */
export async function reportAtEnd(work: () => Promise<void>, report: () => void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoppedError && error.cause instanceof ReaderGoneError)) report();
    throw error;
  }
  report();
}
