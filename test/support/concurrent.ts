import fc from 'fast-check';

/**
 * Writes the log of groups that are written at the same time: each of `clients` takes the next group when its last one is written.
 * @param picks whose record comes next, modulo the clients that have one; 0 once there are no more
 * @returns the log, and the groups in the order of their first records
 */
export function interleave(
  groups: readonly string[],
  clients: number,
  picks: Iterable<number>,
): { readonly log: string; readonly begun: readonly string[] } {
  const waiting = groups.map((group) => ({ group, lines: group.match(/[^\n]*\n/g) ?? [], written: 0 }));
  const busy = waiting.splice(0, clients);
  const begun: string[] = [];
  const log: string[] = [];
  const pick = picks[Symbol.iterator]();
  for (;;) {
    const index = Number(pick.next().value ?? 0) % busy.length;
    const client = busy[index];
    if (client === undefined) return { log: log.join(''), begun };
    if (client.written === 0) begun.push(client.group);
    log.push(client.lines[client.written] ?? '');
    client.written += 1;
    if (client.written === client.lines.length) busy.splice(index, 1, ...waiting.splice(0, 1));
  }
}

/** Picks for `interleave`: runs of one client mostly, as real requests write them. */
export const picks: fc.Arbitrary<number[]> = fc
  .array(fc.tuple(fc.nat(15), fc.integer({ min: 1, max: 8 })), { maxLength: 150 })
  .map((runs) => runs.flatMap(([client, times]) => Array<number>(times).fill(client)));
