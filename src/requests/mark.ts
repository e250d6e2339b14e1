import type { Batches, LogRequest } from '../log/group.js';

/**
 * Adds a parameter to the query of a target, before a fragment if there is one: `/mail/` with `r=7` is `/mail/?r=7`, `/mail/?a=b` is
 * `/mail/?a=b&r=7`.
 */
export function markTarget(target: string, parameter: string): string {
  const hashAt = target.indexOf('#');
  const end = hashAt === -1 ? target.length : hashAt;
  const queryAt = target.indexOf('?');
  const hasQuery = queryAt !== -1 && queryAt < end;
  const separator = !hasQuery ? '?' : queryAt === end - 1 ? '' : '&';
  return target.slice(0, end) + separator + parameter + target.slice(end);
}

/**
 * Marks requests: `name=1`, `name=2`, … in the queries of their targets, so that no two are alike.
 *
 * @param first the number of the first one
 */
export async function* markRequests<T extends LogRequest>(
  batches: Batches<T>,
  name: string,
  first: number,
): AsyncGenerator<readonly T[]> {
  let number = first;
  for await (const batch of batches) {
    yield batch.map((request) => {
      const target = markTarget(request.target, `${name}=${String(number)}`);
      number += 1;
      return { ...request, target };
    });
  }
}
