import { encodeText } from '../log/byte-string.js';
import type { LinePlaces } from '../reading/line-places.js';
import { placesOf, type Counted } from '../reading/tally.js';
import { formatCount, formatDuration } from '../wording.js';
import type { BoundedCounts } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import { formatName } from './format-name.js';
import type { Busiest } from './peak.js';
import type { Charset } from './style.js';

const SHOWN_METHODS = 8;

/** A fact about a log: its name, and what is shown beside it. */
type Fact = readonly [name: string, fact: string];

/**
 * The facts of a log, each a name and a text that is escaped for the charset. An empty name continues the fact before. A log without
 * requests has fewer facts.
 */
export function factsOf({ first, last, ...counts }: LogCounts, places: LinePlaces, charset: Charset): readonly Fact[] {
  const facts: Fact[] = [];
  const placed = (counted: Counted, what: string, verb?: string): string =>
    counted.count === 0 ? what : `${what} (${formatName(encodeText(placesOf(counted, places, verb)), charset)})`;
  if (first !== undefined && last !== undefined) {
    facts.push(
      ['first', `${first.timestamp} ${first.utcOffset}`],
      ['last', `${last.timestamp} ${last.utcOffset}`],
      ['span', formatDuration(last.second - first.second)],
    );
  }
  facts.push(
    ['groups', formatCount(counts.groups)],
    ['records', formatCount(counts.records)],
    ['incomplete', placed(counts.incomplete, countOf(counts.incomplete, 'group'), 'begin')],
    ['foreign', placed(counts.foreign, countOf(counts.foreign, 'line'))],
  );
  if (counts.foreignWithCr > 0) facts.push(['', `${formatCount(counts.foreignWithCr)} of them for a CR at the end`]);
  if (counts.groups > 0) {
    facts.push(
      ['methods', formatMethods(counts.methods, charset)],
      ['peak second', formatPeak(counts.peakSecond.busiest, 20)],
      ['peak minute', formatPeak(counts.peakMinute.busiest, 17)],
      ['steps back', placed(counts.stepsBack, formatCount(counts.stepsBack.count))],
    );
  }
  return facts;
}

function countOf({ count }: Counted, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function formatMethods(methods: BoundedCounts, charset: Charset): string {
  const sorted = methods.sorted();
  const shown = sorted.slice(0, SHOWN_METHODS).map(({ name, count }) => `${formatName(name, charset)} ${formatCount(count)}`);
  const rest = sorted.slice(SHOWN_METHODS).reduce((sum, { count }) => sum + count, methods.other);
  return [...shown, ...(rest > 0 ? [`others ${formatCount(rest)}`] : [])].join(', ');
}

function formatPeak(busiest: Busiest | undefined, length: number): string {
  return busiest === undefined ? '0' : `${formatCount(busiest.count)}, ${busiest.stamp.timestamp.slice(0, length)}`;
}
