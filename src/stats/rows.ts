import { formatCount } from '../wording.js';
import { MAX_NAMES, type BoundedCounts } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import { formatName } from './format-name.js';
import type { Charset } from './style.js';

/** The most targets that have a row each; the rest share a row. */
const SHOWN_TARGETS = 20;

/** The most foreign messages that have a row each; the rest share a row. */
const SHOWN_MESSAGES = 10;

/** A counted name, as a report shows it. */
interface Row {
  readonly count: number;
  /** Text that is escaped for the charset. */
  readonly label: string;
}

/** The heading of the rows of targets. */
export function targetsHeading({ targets }: LogCounts): string {
  return `Requests by ${targets.isShortened ? `path (more than ${formatCount(MAX_NAMES)} targets)` : 'target'}`;
}

/** The most frequent targets, the most frequent first, then a row for all others. */
export function targetRows({ targets }: LogCounts, charset: Charset): readonly Row[] {
  const sorted = targets.sorted();
  const rows = sorted.slice(0, SHOWN_TARGETS).map(({ name, count }) => ({ count, label: formatName(name, charset) }));
  const many = targets.other > 0 ? 'all' : formatCount(sorted.length - SHOWN_TARGETS);
  return withOthers(rows, targets, `(${many} others)`);
}

/** The most frequent foreign messages, the most frequent first, then a row for all others. */
export function messageRows({ foreignMessages: { counts } }: LogCounts, charset: Charset): readonly Row[] {
  const rows = counts
    .sorted()
    .slice(0, SHOWN_MESSAGES)
    .map(({ name, count }) => ({ count, label: name === '' ? '(empty)' : formatName(name, charset) }));
  return withOthers(rows, counts, '(others)');
}

/** Adds a row for the names that have none, if there are any. */
function withOthers(rows: readonly Row[], counts: BoundedCounts, label: string): readonly Row[] {
  const rest = counts
    .sorted()
    .slice(rows.length)
    .reduce((sum, { count }) => sum + count, counts.other);
  return rest > 0 ? [...rows, { count: rest, label }] : rows;
}
