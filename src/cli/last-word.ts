import { ReaderGoneError, StoppedError } from '../errors.js';

/** Runs work and has a last word said when it ends, however that is; not when the reader of a pipe went away: that end is silent. */
export async function withLastWord(work: () => Promise<void>, sayLast: () => void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoppedError && error.cause instanceof ReaderGoneError)) sayLast();
    throw error;
  }
  sayLast();
}
