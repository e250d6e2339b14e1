import type { GroupBefore } from './record-forms.js';

/** The beginning of a record of the log: its timestamp, and its offset or the name of its zone. */
const STAMP = /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d (?:([+-]\d{4})|[A-Za-z][A-Za-z0-9_+/-]*)\]/;

/** The part of the path of an application's file that follows the install root. */
const BELOW_ROOT = /\/(?:program\/lib|plugins)\//;

/** The characters that may stand before a path. */
const BEFORE_PATH = ' \t\n\'"(<=';

/**
 * Gives a record of another log the second, the offset or zone, and the install root of the group that it stands behind. Whatever of these
 * it does not have in the application's form stays as it is.
 *
 * @param record a byte string without an LF at its end
 */
export function fitRecord(record: string, group: Pick<GroupBefore, 'stamp' | 'deployment'>): string {
  const { timestamp, utcOffset } = group.stamp;
  const { timezone, installRoot } = group.deployment;
  const stamped = record.replace(
    STAMP,
    (_stamp, offset: string | undefined) => `[${timestamp} ${offset === undefined ? timezone : utcOffset}]`,
  );
  const root = findRoot(stamped);
  return root === undefined ? stamped : stamped.replaceAll(`${root}/`, () => `${installRoot}/`);
}

/** The install root that the first path of a file of the application names. */
function findRoot(record: string): string | undefined {
  const end = BELOW_ROOT.exec(record)?.index;
  if (end === undefined) return undefined;
  let from = end;
  while (from > 0 && !BEFORE_PATH.includes(record[from - 1] ?? '')) from -= 1;
  return record[from] === '/' && from < end ? record.slice(from, end) : undefined;
}
