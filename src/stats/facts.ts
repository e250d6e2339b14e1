import { encodeText } from '../log/byte-string.js';
import { formatStamp } from '../log/timestamp.js';
import { placesOf, type Counted, type LinePlaces } from '../reading/line-places.js';
import { countOf, formatCount, formatDuration } from '../wording.js';
import { MAX_NAMES, type BoundedCounts } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import { formatName, type Charset } from './style.js';
import { stampOf, type Peak } from './timeline.js';

/** The rest are counted together. */
const SHOWN_METHODS = 8;
const SHOWN_TARGETS = 20;
const SHOWN_MESSAGES = 10;

type Facts = readonly (readonly [name: string, fact: string])[];
type Rows = readonly { readonly count: number; readonly label: string }[];

/** The facts of a log, texts that are escaped for the charset. An empty name continues the fact before. */
export function factsOf({ first, last, ...counts }: LogCounts, places: LinePlaces, charset: Charset): Facts {
  const facts: Facts[number][] = [];
  const placed = (counted: Counted, what: string, verb?: string): string =>
    counted.count === 0 ? what : `${what} (${formatName(encodeText(placesOf(counted, places, verb)), charset)})`;
  if (first !== undefined && last !== undefined)
    facts.push(['first', formatStamp(first)], ['last', formatStamp(last)], ['span', formatDuration(last.second - first.second)]);
  facts.push(
    ['groups', formatCount(counts.groups)],
    ['records', formatCount(counts.records)],
    ['incomplete', placed(counts.incomplete, countOf(counts.incomplete.count, 'group', formatCount), 'begin')],
    ['foreign', placed(counts.foreign, countOf(counts.foreign.count, 'line', formatCount))],
  );
  if (counts.foreignWithCr > 0) facts.push(['', `${formatCount(counts.foreignWithCr)} of them because of a CR at the end`]);
  if (counts.groups > 0) {
    const methods = topOf(counts.methods, SHOWN_METHODS, charset, () => 'others');
    facts.push(
      ['methods', methods.map(({ label, count }) => `${label} ${formatCount(count)}`).join(', ')],
      ['peak second', formatPeak(counts.peakSecond, 20)],
      ['peak minute', formatPeak(counts.peakMinute, 17)],
      ['steps back', placed(counts.stepsBack, formatCount(counts.stepsBack.count))],
    );
  }
  return facts;
}

/** @param length that of the time in characters */
function formatPeak({ busiest }: Peak, length: number): string {
  return busiest === undefined ? '0' : `${formatCount(busiest.count)}, ${stampOf(busiest).timestamp.slice(0, length)}`;
}

export function targetsHeading({ targets }: LogCounts): string {
  return `Requests by ${targets.isShortened ? `path (more than ${formatCount(MAX_NAMES)} targets)` : 'target'}`;
}

export function targetRows({ targets }: LogCounts, charset: Charset): Rows {
  return topOf(targets, SHOWN_TARGETS, charset, (others) => `(${targets.other > 0 ? 'all' : formatCount(others)} others)`);
}

export function messageRows({ foreignMessages }: LogCounts, charset: Charset): Rows {
  return topOf(foreignMessages, SHOWN_MESSAGES, charset, () => '(others)');
}

/** The most frequent names, then a row for all others. @param nameOthers names that row, by the number of the others that are known */
function topOf(counts: BoundedCounts, most: number, charset: Charset, nameOthers: (known: number) => string): Rows {
  const sorted = counts.sorted();
  const rows = sorted.slice(0, most).map(({ name, count }) => ({ count, label: formatName(name, charset) || '(empty)' }));
  const rest = sorted.slice(most).reduce((sum, { count }) => sum + count, counts.other);
  return rest > 0 ? [...rows, { count: rest, label: nameOthers(sorted.length - most) }] : rows;
}
