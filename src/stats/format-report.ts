import { encodeText } from '../log/byte-string.js';
import { nameSources, type LinePlaces } from '../reading/line-places.js';
import { formatCount, formatDuration } from '../wording.js';
import type { LogCounts } from './count-log.js';
import { factsOf, messageRows, targetRows, targetsHeading } from './facts.js';
import { barCells, fit, formatName, glyphsOf, wrap, type Style } from './style.js';
import { formatStart } from './timeline.js';

const NAME_COLUMNS = 12;
const MAX_BAR_COLUMNS = 40;

/**
 * Formats counts as a report for people: facts, requests by target, requests over time. Ends in LF. Lines have at most `style.columns`
 * columns, which must be 40 or more. Text from the log is escaped for a terminal. In plain style everything is ASCII.
 */
export function formatReport(counts: LogCounts, places: LinePlaces, style: Style): string {
  const sections = [formatFacts(counts, places, style)];
  if (counts.groups > 0) sections.push(formatTargets(counts, style), formatChart(counts, style));
  if (counts.foreign.count > 0) sections.push(formatMessages(counts, style));
  return sections.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** The facts, under the names of the logs: those between the first and the last are named only if they fit. */
function formatFacts(counts: LogCounts, places: LinePlaces, style: Style): readonly string[] {
  const naming = { nameOf: (source: string) => formatName(encodeText(source), style), cut: glyphsOf(style).cut };
  const all = nameSources(places, naming);
  const heading = all.length <= style.columns ? all : nameSources(places, { ...naming, maxNamed: 1 });
  const facts = factsOf(counts, places, style).map(([name, fact]) => `${name.padEnd(NAME_COLUMNS)}${fact}`);
  return [heading, '', ...facts].map((line) => fit(line, style.columns, style));
}

/** A line of count, share, bar and name for each target. The name comes last: a terminal may show it wider than expected. */
function formatTargets(counts: LogCounts, style: Style): readonly string[] {
  const rows = targetRows(counts, style);
  const most = Math.max(...rows.map(({ count }) => count));
  const countColumns = formatCount(most).length;
  const barColumns = Math.min(MAX_BAR_COLUMNS, Math.floor(style.columns / 5));
  const lines = rows.map(({ count, label }) => {
    const share = `${((100 * count) / counts.groups).toFixed(1)}%`.padStart(6);
    const bar = barCells(count / most, barColumns, glyphsOf(style).horizontal).join('');
    const head = `${formatCount(count).padStart(countColumns)} ${share} ${bar} `;
    return head + fit(label, style.columns - head.length, style, 'middle');
  });
  return [fit(targetsHeading(counts), style.columns, style), '', ...lines];
}

function formatMessages(counts: LogCounts, style: Style): readonly string[] {
  const rows = messageRows(counts, style);
  const countColumns = Math.max(...rows.map(({ count }) => formatCount(count).length));
  const lines = rows.flatMap(({ count, label }) =>
    wrap(label, style.columns - countColumns - 1, style).map(
      (line, index) => `${(index === 0 ? formatCount(count) : '').padStart(countColumns)} ${line}`,
    ),
  );
  return ['Foreign messages, * for what varies', '', ...lines];
}

/** Of the chart, in lines and columns. From three columns on, one of a bar is a gap. */
const HEIGHT = 8;
const MAX_CHART_BAR_COLUMNS = 8;
const GAP_FROM = 3;
const LABEL_GAP = 2;

function formatChart({ timeline, groups }: LogCounts, style: Style): readonly string[] {
  const glyphs = glyphsOf(style);
  // No bar stands for more than all requests.
  const labelColumns = formatCount(groups).length;
  const columns = style.columns - labelColumns - ` ${glyphs.side}`.length;
  const { width, buckets } = timeline.spread(columns);
  const most = Math.max(...buckets.map(({ count }) => count));
  const barColumns = Math.min(MAX_CHART_BAR_COLUMNS, Math.floor(columns / buckets.length));
  const bars = buckets.map(({ count }) => barCells(count / most, HEIGHT, glyphs.vertical));
  const widen = (cell: string): string => (barColumns < GAP_FROM ? cell.repeat(barColumns) : `${cell.repeat(barColumns - 1)} `);
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const label = index === 0 ? formatCount(most) : '';
    const cells = bars.map((bar) => widen(bar[HEIGHT - 1 - index] ?? '')).join('');
    return `${label.padStart(labelColumns)} ${glyphs.side}${cells}`.trimEnd();
  });
  let axis = glyphs.bottom.repeat(buckets.length * barColumns);
  let under = '';
  // Labels stand under as many bars as there is room for.
  for (const [index, { start }] of buckets.entries()) {
    const at = index * barColumns;
    const text = formatStart(start, width);
    if ((under !== '' && at < under.length + LABEL_GAP) || at + text.length > columns) continue;
    axis = axis.slice(0, at) + glyphs.tick + axis.slice(at + 1);
    under = under.padEnd(at) + text;
  }
  const heading = `Requests per ${formatDuration(width)}, log's clock`;
  const indent = ' '.repeat(labelColumns);
  return [heading, '', ...rows, `${'0'.padStart(labelColumns)} ${glyphs.corner}${axis}`, `${indent}  ${under}`];
}
