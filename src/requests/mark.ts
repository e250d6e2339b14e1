import type { Batches, LogRequest } from '../log/group.js';

/**
 * Adds a parameter to the query of a target: with `r=7`, `/mail/` becomes `/mail/?r=7`, `/mail/?a=b#f` becomes
 * `/mail/?a=b&r=7#f`.
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
 * Marks requests with `name=1`, `name=2`, … in the queries of their targets, so that no two requests are equal.
 *
 * @param first the number of the first request
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
