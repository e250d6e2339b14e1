import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type Batches, type LogRequest } from '../log/group.js';
import type { Chunk } from './chunk.js';
import { pack } from './pack.js';

/** Renders requests to chunks of whole groups (see `pack`). */
export function packGroups(batches: Batches<LogRequest>, deployment: Deployment, hasMore: () => boolean): AsyncGenerator<Chunk> {
  const renderer = new GroupRenderer(deployment);
  return pack<LogRequest>(batches, (request) => renderer.render(request), hasMore);
}

/**
 * Renders requests to the bytes of the log, in buffers of whole groups (6) of at most 65,536 bytes; a larger group is a buffer of
 * its own. Every buffer ends in LF and is the caller's to keep.
 *
 * @throws RangeError on a request that `formatGroup` would refuse, after the groups before it
 */
export async function* renderGroups(batches: Batches<LogRequest>, deployment: Deployment): AsyncGenerator<Buffer> {
  for await (const chunk of packGroups(batches, deployment, () => true)) {
    yield Buffer.from(chunk.bytes);
  }
}
