import { type Deployment } from '../../src/log/deployment.js';
import { type Batches, type LogRequest } from '../../src/log/group.js';
import { toPieces } from '../../src/output/log-pieces.js';
import { Packet, type PieceBatches } from '../../src/output/piece.js';
import { SECOND, groupAt } from '../support/records.js';

export const groupFor = (target: string): string => groupAt(SECOND, target);

/** A packet of lines of bytes, each a piece of one group, from lines 1, 2, … of an input. */
export function packetOf(...lines: readonly string[]): Packet {
  const packet = new Packet();
  for (const [index, line] of lines.entries())
    packet.add({ bytes: Buffer.from(`${line}\n`, 'latin1'), count: 1, origin: { line: index + 1 } });
  return packet;
}

export function groupPieces<T extends LogRequest>(requests: Batches<T>, deployment: Deployment): PieceBatches<T> {
  return toPieces(requests, { form: 'log', deployment });
}
