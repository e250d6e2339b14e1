import { StoppedError } from '../errors.js';
import type { LinePlaces } from '../reading/line-places.js';

/** Names the last line of a run by its own file, where the log has several; other errors are returned unchanged. */
export function stoppedIn<E>(error: E, { sources, placeOf }: LinePlaces): E | StoppedError {
  if (!(error instanceof StoppedError) || error.lastLine === undefined || sources.length === 1) return error;
  const { source, line } = placeOf(error.lastLine);
  return new StoppedError(error.cause, error.written, line, error.noun, source);
}
