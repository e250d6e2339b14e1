import { decodeText, encodeText } from '../log/byte-string.js';
import { nameSources, type LinePlaces } from '../reading/line-places.js';
import { placesOf, type Counted } from '../reading/tally.js';
import { escapeBytes, escapeText, formatCount, formatDuration } from '../wording.js';
import { MAX_NAMES, type BoundedCounts } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import { formatChart } from './format-chart.js';
import type { Busiest } from './peak.js';
import { barCells, glyphsOf, type Style } from './style.js';

/** The most targets that have a line each; the rest share a line. */
const SHOWN_TARGETS = 20;

const SHOWN_METHODS = 8;

/** The most foreign messages that are shown, and the most lines of each. */
const SHOWN_MESSAGES = 10;
const MESSAGE_LINES = 2;

/** The bounds of a horizontal bar in columns; between them it is a fifth of the line. */
const MIN_BAR_COLUMNS = 6;
const MAX_BAR_COLUMNS = 40;

/** The width of the names of facts in columns. */
const NAME_COLUMNS = 12;

/** The part of each end of a name that is escaped and measured, in bytes: a target may be a MiB long. */
const MAX_END_BYTES = 2048;

/**
 * Formats counts as a report for people: facts, requests by target, requests over time. Ends in LF. Lines have at most `style.columns`
 * columns, which must be 40 or more. Text from the log is escaped for a terminal. In plain style everything is ASCII.
 *
 * @param places of the files of the log
 */
export function formatReport(counts: LogCounts, places: LinePlaces, style: Style): string {
  const lines = [fit(formatSources(places, style), style.columns, style), '', ...formatFacts(counts, places, style)];
  if (counts.groups > 0) {
    const by = counts.targets.isShortened ? `path (more than ${formatCount(MAX_NAMES)} targets)` : 'target';
    lines.push('', fit(`Requests by ${by}`, style.columns, style), '', ...formatTargets(counts, style));
    const { width, lines: chart } = formatChart(counts.timeline, counts.groups, style);
    lines.push('', fit(`Requests per ${formatDuration(width)}, log's clock`, style.columns, style), '', ...chart);
  }
  const messages = counts.foreignMessages.counts;
  if (counts.foreign.count > 0) {
    lines.push('', fit('Foreign messages, * for what varies', style.columns, style), '', ...formatMessages(messages, style));
  }
  return `${lines.join('\n')}\n`;
}

/** The names of the logs; those between the first and the last only if they fit. */
function formatSources(places: LinePlaces, style: Style): string {
  const naming = { nameOf: (source: string) => formatName(encodeText(source), style), cut: glyphsOf(style).cut };
  const name = nameSources(places, naming);
  return places.sources.length === 1 || name.length <= style.columns ? name : nameSources(places, { ...naming, maxNamed: 1 });
}

function formatFacts({ first, last, ...counts }: LogCounts, places: LinePlaces, style: Style): readonly string[] {
  const facts: (readonly [name: string, fact: string])[] = [];
  const placed = (counted: Counted, what: string, verb?: string): string =>
    counted.count === 0 ? what : `${what} (${formatName(encodeText(placesOf(counted, places, verb)), style)})`;
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
      ['methods', formatMethods(counts.methods, style)],
      ['peak second', formatPeak(counts.peakSecond.busiest, 20)],
      ['peak minute', formatPeak(counts.peakMinute.busiest, 17)],
      ['steps back', placed(counts.stepsBack, formatCount(counts.stepsBack.count))],
    );
  }
  return facts.map(([name, fact]) => fit(`${name.padEnd(NAME_COLUMNS)}${fact}`, style.columns, style));
}

function countOf({ count }: Counted, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function formatMethods(methods: BoundedCounts, style: Style): string {
  const sorted = methods.sorted();
  const shown = sorted.slice(0, SHOWN_METHODS).map(({ name, count }) => `${formatName(name, style)} ${formatCount(count)}`);
  const rest = sorted.slice(SHOWN_METHODS).reduce((sum, { count }) => sum + count, methods.other);
  return [...shown, ...(rest > 0 ? [`others ${formatCount(rest)}`] : [])].join(', ');
}

function formatPeak(busiest: Busiest | undefined, length: number): string {
  return busiest === undefined ? '0' : `${formatCount(busiest.count)}, ${busiest.stamp.timestamp.slice(0, length)}`;
}

/** A line of count, share, bar and name for each target. The name comes last: a terminal may show it wider than expected. */
function formatTargets({ targets, groups }: LogCounts, style: Style): readonly string[] {
  const sorted = targets.sorted();
  const rows = sorted.slice(0, SHOWN_TARGETS).map(({ name, count }) => ({ count, label: formatName(name, style) }));
  const rest = sorted.slice(SHOWN_TARGETS).reduce((sum, { count }) => sum + count, targets.other);
  const many = targets.other > 0 ? 'all' : formatCount(sorted.length - SHOWN_TARGETS);
  if (rest > 0) rows.push({ count: rest, label: `(${many} others)` });
  const most = Math.max(...rows.map(({ count }) => count));
  const countColumns = formatCount(most).length;
  const barColumns = Math.max(MIN_BAR_COLUMNS, Math.min(MAX_BAR_COLUMNS, Math.floor(style.columns / 5)));
  return rows.map(({ count, label }) => {
    const share = `${((100 * count) / groups).toFixed(1)}%`.padStart(6);
    const bar = barCells(count / most, barColumns, glyphsOf(style).horizontal).join('');
    const head = `${formatCount(count).padStart(countColumns)} ${share} ${bar} `;
    return head + fitMiddle(label, style.columns - head.length, style);
  });
}

/** The lines of the most frequent messages, each after its count. */
function formatMessages(messages: BoundedCounts, style: Style): readonly string[] {
  const sorted = messages.sorted();
  const rows = sorted
    .slice(0, SHOWN_MESSAGES)
    .map(({ name, count }) => ({ count, label: name === '' ? '(empty)' : formatName(name, style) }));
  const rest = sorted.slice(SHOWN_MESSAGES).reduce((sum, { count }) => sum + count, messages.other);
  if (rest > 0) rows.push({ count: rest, label: '(others)' });
  const countColumns = Math.max(...rows.map(({ count }) => formatCount(count).length));
  const indent = ' '.repeat(countColumns + 1);
  return rows.flatMap(({ count, label }) => {
    const [first = '', ...others] = wrap(label, style.columns - indent.length, MESSAGE_LINES, style);
    return [`${formatCount(count).padStart(countColumns)} ${first}`.trimEnd(), ...others.map((line) => indent + line)];
  });
}

/** A name, escaped for the style. */
function formatName(name: string, { isPlain }: Style): string {
  const ends = name.length <= 2 * MAX_END_BYTES ? name : name.slice(0, MAX_END_BYTES) + name.slice(-MAX_END_BYTES);
  const text = isPlain ? undefined : decodeText(ends);
  return text === undefined ? escapeBytes(ends) : escapeText(text);
}

/** Cuts a text at its end to a width. */
function fit(text: string, columns: number, style: Style): string {
  const { cut } = glyphsOf(style);
  const characters = Array.from(text);
  if (countWithin(characters, columns) === characters.length) return text;
  return characters.slice(0, countWithin(characters, columns - cut.length)).join('') + cut;
}

/** Breaks a text at spaces into lines of a width; the last of them is cut at its end. */
function wrap(text: string, columns: number, maxLines: number, style: Style): readonly string[] {
  const characters = Array.from(text);
  const fitting = countWithin(characters, columns);
  if (maxLines === 1 || fitting === characters.length) return [fit(text, columns, style)];
  const space = characters.lastIndexOf(' ', fitting);
  const end = space > 0 ? space : fitting;
  const rest = characters.slice(end).join('').trimStart();
  return [characters.slice(0, end).join(''), ...wrap(rest, columns, maxLines - 1, style)];
}

/** Cuts a text in its middle to a width: names may differ only at their ends. */
function fitMiddle(text: string, columns: number, style: Style): string {
  const { cut } = glyphsOf(style);
  const characters = Array.from(text);
  if (countWithin(characters, columns) === characters.length) return text;
  const tailColumns = Math.floor((columns - cut.length) / 2);
  const head = characters.slice(0, countWithin(characters, columns - cut.length - tailColumns));
  const tail = characters.slice(characters.length - countWithin(characters.toReversed(), tailColumns));
  return head.join('') + cut + tail.join('');
}

/** The number of first characters that fit into a width. Every character outside ASCII counts as two columns wide. */
function countWithin(characters: readonly string[], columns: number): number {
  let taken = 0;
  const tooMuch = characters.findIndex((character) => {
    taken += character <= '~' ? 1 : 2;
    return taken > columns;
  });
  return tooMuch === -1 ? characters.length : tooMuch;
}
