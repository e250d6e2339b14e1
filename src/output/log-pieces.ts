import type { EnvelopeName } from '../envelope/envelopes.js';
import { EnvelopeWriter, rendererIn } from '../envelope/envelope-writer.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import { rowFormatter } from '../requests/list/format-row.js';
import { buffersOf } from './pack.js';
import { renderPieces, textRenderer, type Piece, type PieceBatches } from './piece.js';

export interface Stages<T extends LogRequest> {
  readonly form: 'log' | 'requests';
  readonly deployment: Deployment;
  readonly breakLog?: ((pieces: PieceBatches<T>) => PieceBatches<T>) | undefined;
  readonly envelope?: EnvelopeName | undefined;
}

/** Turns requests into the pieces of a log (or a list) to be written. @throws RangeError on a request that `formatGroup` would refuse */
export function toPieces<T extends LogRequest>(
  requests: Batches<T>,
  { form, deployment, breakLog, envelope }: Stages<T>,
): PieceBatches<T> {
  // Whole groups are rendered in their envelopes at once, which is faster.
  const groups = rendererIn(breakLog ? undefined : envelope, deployment);
  const render =
    form === 'log' ? (request: LogRequest) => groups.render(request) : textRenderer(rowFormatter(deployment.timezone), 'latin1');
  const rendered = renderPieces(requests, render);
  const broken = breakLog?.(rendered) ?? rendered;
  return breakLog && envelope ? wrapPieces(broken, new EnvelopeWriter(envelope, deployment)) : broken;
}

/** Puts the records of pieces in an envelope: what must not be cut, such as a group, stays one piece. */
async function* wrapPieces<T extends LogRequest>(
  batches: PieceBatches<T>,
  writer: EnvelopeWriter,
): AsyncGenerator<Iterable<Piece<T>>> {
  const wrapEach = function* (pieces: Iterable<Piece<T>>): Generator<Piece<T>> {
    for (const piece of pieces) yield { ...piece, bytes: writer.wrap(piece.bytes, piece.origin.millisecond, piece.count > 1) };
  };
  for await (const batch of batches) yield wrapEach(batch);
}

/**
 * Renders requests to the bytes of the log, in buffers of whole groups (6) of at most 65,536 bytes. A larger group is a buffer of
 * its own. Every buffer ends in LF and may be kept.
 * @throws TypeError for a batch that is not an array
 * @throws RangeError on a request that `formatGroup` would refuse, after the groups before it
 */
export async function* renderGroups(batches: Batches<LogRequest>, deployment: Deployment): AsyncGenerator<Buffer> {
  yield* buffersOf(toPieces(batches, { form: 'log', deployment }), true);
}
