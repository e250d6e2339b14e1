import { readLoggedRecords } from '../reading/logged-records.js';
import type { LostLines } from './lost-lines.js';

/**
 * How many groups lost a record: deprecation records that were lost, or that end a group of which a record was lost. Records are
 * paired as `parse` pairs them.
 *
 * @param chunks the expected log, from its beginning
 */
export async function countLostGroups(chunks: AsyncIterable<Uint8Array>, lost: LostLines): Promise<number> {
  const hit = new Set<number>();
  let groups = 0;
  for await (const records of readLoggedRecords(chunks)) {
    for (const { record, line, group } of records) {
      const isLost = lost.has(line);
      if (record.kind === 'load_failure') {
        if (isLost && group !== undefined) hit.add(group);
      } else if ((group !== undefined && hit.delete(group)) || isLost) {
        groups += 1;
      }
    }
  }
  return groups;
}
