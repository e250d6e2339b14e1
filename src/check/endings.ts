import type { Records } from './judge.js';

/**
 * Exchanges deprecation records among groups that overlap, so that as many as possible have one of their own second: the records of a
 * second carry nothing else that tells whose they are.
 */
export function exchangeEndings(groups: readonly Records[]): readonly Records[] {
  const exchanged = [...groups];
  const others = new Set(groups.flatMap((group, index) => (secondsDiffer(group) ? [index] : [])));
  for (const index of others) {
    const group = exchanged[index] ?? [];
    for (const otherIndex of others) {
      const other = exchanged[otherIndex] ?? [];
      if (otherIndex === index || endingOf(other)?.record.timestamp !== group[0]?.record.timestamp) continue;
      const [one, two] = [withEnding(group, other), withEnding(other, group)];
      if (one === undefined || two === undefined) continue;
      exchanged[index] = one;
      exchanged[otherIndex] = two;
      others.delete(index);
      if (!secondsDiffer(two)) others.delete(otherIndex);
      break;
    }
  }
  return exchanged;
}

function secondsDiffer(group: Records): boolean {
  const ending = endingOf(group);
  return ending !== undefined && group.length > 1 && ending.record.timestamp !== group[0]?.record.timestamp;
}

function endingOf(group: Records): Records[number] | undefined {
  const last = group.at(-1);
  return last?.record.kind === 'deprecation' ? last : undefined;
}

/** A group with the deprecation record of another one; undefined if that does not stand behind its load failures. */
function withEnding(group: Records, other: Records): Records | undefined {
  const [failures, ending] = [group.slice(0, -1), endingOf(other)];
  const lastLine = failures.at(-1)?.line ?? Infinity;
  return ending !== undefined && ending.line > lastLine ? [...failures, ending] : undefined;
}
