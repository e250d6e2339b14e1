import { showStatus } from './messages.js';

/** Passes bytes on, and shows on a terminal how many have been read: for work whose output says little of how far it is. */
export async function* readWithStatus(chunks: AsyncIterable<Uint8Array>, stdoutIsUsed: boolean): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const stopStatus = showStatus(() => `${String(Math.floor(bytes / 1e6))} MB read`, stdoutIsUsed);
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  } finally {
    stopStatus();
  }
}
