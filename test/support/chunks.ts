import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { Chunk } from '../../src/output/chunk.js';

const SPECIFIED = createDeployment();

/** The group of a GET request at 2025-05-18T10:00:00Z. */
export function groupFor(target: string): string {
  return formatGroup({ millisecond: 1_747_562_400_000, method: 'GET', target }, SPECIFIED);
}

/** A chunk that holds that group. */
export function chunkFor(target: string): Chunk {
  const chunk = new Chunk();
  chunk.add({ bytes: Buffer.from(groupFor(target), 'latin1'), count: 1, origin: {} });
  return chunk;
}
