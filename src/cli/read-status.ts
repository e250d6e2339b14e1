import { showStatus } from './messages.js';

/**
 * Passes bytes on, and shows on a terminal how many have been read: for work whose output tells little about its progress.
 *
 * @param writesStdout true if stdout is written to meanwhile, see `showStatus`
 */
export async function* readWithStatus(chunks: AsyncIterable<Uint8Array>, writesStdout: boolean): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const stopStatus = showStatus(() => `${String(Math.floor(bytes / 1e6))} MB read`, writesStdout);
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  } finally {
    stopStatus();
  }
}
