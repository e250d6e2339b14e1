import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type Batches, type LogRequest } from '../log/group.js';
import { pack } from './pack.js';
import { renderPieces, type Piece } from './piece.js';

/** Renders the group (6) of each request as a piece. @throws RangeError on a request that `formatGroup` would refuse */
export function renderGroupPieces<T extends LogRequest>(
  requests: Batches<T>,
  deployment: Deployment,
): AsyncGenerator<Iterable<Piece<T>>> {
  const renderer = new GroupRenderer(deployment);
  return renderPieces(requests, (request) => renderer.render(request));
}

/**
 * Renders requests to the bytes of the log, in buffers of whole groups (6) of at most 65,536 bytes. A larger group is a buffer of
 * its own. Every buffer ends in LF and may be kept.
 *
 * @throws TypeError for a batch that is not an array
 * @throws RangeError on a request that `formatGroup` would refuse, after the groups before it
 */
export async function* renderGroups(batches: Batches<LogRequest>, deployment: Deployment): AsyncGenerator<Buffer> {
  for await (const packet of pack(renderGroupPieces(batches, deployment), () => true)) {
    yield Buffer.from(packet.bytes);
  }
}
