import { decodeText, encodeText } from '../log/byte-string.js';
import { placesOf, type Counted } from '../log/tally.js';
import { escapeBytes, escapeText } from '../quote.js';
import { MAX_NAMES, type BoundedCounts } from './bounded-counts.js';
import type { LogCounts } from './count-log.js';
import { formatChart } from './format-chart.js';
import type { Busiest } from './peak.js';
import { barCells, formatCount, formatDuration, glyphsOf, type Style } from './style.js';

/** So many targets have a line of their own. */
const SHOWN_TARGETS = 20;

const SHOWN_METHODS = 8;

/** The columns of a lying bar: a fifth of the line, but so many at least and at most. */
const MIN_BAR_COLUMNS = 6;
const MAX_BAR_COLUMNS = 40;

/** The columns of the names of facts. */
const NAME_COLUMNS = 12;

/** How much of a name can be shown at all, in bytes: a target may be a MiB long. */
const MAX_SHOWN_BYTES = 4096;

/**
 * Formats counts as a report to look at: facts, requests by target, requests over time. Lines of at most `columns` columns (40 are
 * needed), the last one ends in LF. What is shown of the log is escaped for a terminal; in plain style all is ASCII.
 *
 * @param source what the log is called
 */
export function formatReport(counts: LogCounts, source: string, style: Style): string {
  const lines = [fit(formatName(encodeText(source), style), style.columns, style), '', ...formatFacts(counts, style)];
  if (counts.groups > 0) {
    const by = counts.targets.isShortened ? `path (more than ${formatCount(MAX_NAMES)} targets)` : 'target';
    lines.push('', fit(`Requests by ${by}`, style.columns, style), '', ...formatTargets(counts, style));
    const { width, lines: chart } = formatChart(counts.timeline, counts.groups, style);
    lines.push('', fit(`Requests per ${formatDuration(width)}, log's clock`, style.columns, style), '', ...chart);
  }
  return `${lines.join('\n')}\n`;
}

function formatFacts({ first, last, ...counts }: LogCounts, style: Style): readonly string[] {
  const facts: (readonly [name: string, fact: string])[] = [];
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
    ['incomplete', formatPassedOver(counts.incomplete, 'group', 'begin')],
    ['foreign', formatPassedOver(counts.foreign, 'line')],
  );
  if (counts.foreignWithCr > 0) facts.push(['', `${formatCount(counts.foreignWithCr)} of them for a CR at the end`]);
  if (counts.groups > 0) {
    facts.push(
      ['methods', formatMethods(counts.methods, style)],
      ['peak second', formatPeak(counts.peakSecond.busiest, 20)],
      ['peak minute', formatPeak(counts.peakMinute.busiest, 17)],
    );
  }
  return facts.map(([name, fact]) => fit(`${name.padEnd(NAME_COLUMNS)}${fact}`, style.columns, style));
}

function formatPassedOver(counted: Counted, noun: string, verb?: string): string {
  const { count } = counted;
  const what = `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
  return count === 0 ? what : `${what} (${placesOf(counted, verb)})`;
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

/** Count, share, bar and name, a line each. The name stands last: however wide a terminal shows it, all else is aligned. */
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
    const bar = barCells(count / most, barColumns, glyphsOf(style).lying).join('');
    const head = `${formatCount(count).padStart(countColumns)} ${share} ${bar} `;
    return head + fit(label, style.columns - head.length, style);
  });
}

/** A byte string as it is shown. */
function formatName(name: string, { isPlain }: Style): string {
  const start = name.slice(0, MAX_SHOWN_BYTES);
  const text = isPlain ? undefined : decodeText(start);
  return text === undefined ? escapeBytes(start) : escapeText(text);
}

/** Cuts a text to columns. What is not ASCII may take two columns each, and is taken to. */
function fit(text: string, columns: number, style: Style): string {
  const { cut } = glyphsOf(style);
  const shown: string[] = [];
  let taken = 0;
  let room = 0;
  for (const character of text) {
    taken += character <= '~' ? 1 : 2;
    if (taken > columns) return shown.slice(0, room).join('') + cut;
    shown.push(character);
    if (taken <= columns - cut.length) room = shown.length;
  }
  return text;
}
