import { readLoggedRecords } from '../reading/logged-records.js';
import type { LineRange, LostLines } from './lost-lines.js';

/**
 * Records are paired with others near them. So many lines before and behind those that were lost, the pairs are those of the whole log:
 * `parse` waits half as many for a record.
 */
const MARGIN_LINES = 1 << 13;

/**
 * The number of groups that lost a record: deprecation records that were lost, or that end a group of which a record was lost. Records are
 * paired as `parse` pairs them; only the parts of the log in which records were lost are read.
 *
 * @param read reads lines of the expected log
 */
export async function countLostGroups(read: (range: LineRange) => AsyncIterable<Uint8Array>, lost: LostLines): Promise<number> {
  let groups = 0;
  for (const { from, until } of lost.ranges()) {
    const firstLine = Math.max(1, from - MARGIN_LINES);
    groups += await countInRange(read({ from: firstLine, until: until + MARGIN_LINES }), firstLine, lost);
  }
  return groups;
}

async function countInRange(chunks: AsyncIterable<Uint8Array>, firstLine: number, lost: LostLines): Promise<number> {
  const hit = new Set<number>();
  let groups = 0;
  for await (const records of readLoggedRecords(chunks)) {
    for (const { record, line, group } of records) {
      const isLost = lost.has(firstLine + line - 1);
      if (record.kind === 'load_failure') {
        if (isLost && group !== undefined) hit.add(group);
      } else if ((group !== undefined && hit.delete(group)) || isLost) {
        groups += 1;
      }
    }
  }
  return groups;
}
