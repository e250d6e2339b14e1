import { encodeText } from '../log/byte-string.js';
import { nameSources, type LinePlaces } from '../reading/line-places.js';
import { formatCount, formatDuration } from '../wording.js';
import type { LogCounts } from './count-log.js';
import { factsOf, messageRows, targetRows, targetsHeading } from './facts.js';
import { formatChart } from './format-chart.js';
import { barCells, fit, formatName, glyphsOf, wrap, type Style } from './style.js';

/** The most lines of a foreign message. */
const MESSAGE_LINES = 2;

/** The bounds of a horizontal bar in columns; between them it is a fifth of the line. */
const MIN_BAR_COLUMNS = 6;
const MAX_BAR_COLUMNS = 40;

/** The width of the names of facts in columns. */
const NAME_COLUMNS = 12;

/**
 * Formats counts as a report for people: facts, requests by target, requests over time. Ends in LF. Lines have at most `style.columns`
 * columns, which must be 40 or more. Text from the log is escaped for a terminal. In plain style everything is ASCII.
 *
 * @param places of the files of the log
 */
export function formatReport(counts: LogCounts, places: LinePlaces, style: Style): string {
  const facts = factsOf(counts, places, style).map(([name, fact]) =>
    fit(`${name.padEnd(NAME_COLUMNS)}${fact}`, style.columns, style),
  );
  const lines = [fit(formatSources(places, style), style.columns, style), '', ...facts];
  if (counts.groups > 0) {
    lines.push('', fit(targetsHeading(counts), style.columns, style), '', ...formatTargets(counts, style));
    const { width, lines: chart } = formatChart(counts.timeline, counts.groups, style);
    lines.push('', fit(`Requests per ${formatDuration(width)}, log's clock`, style.columns, style), '', ...chart);
  }
  if (counts.foreign.count > 0) {
    lines.push('', fit('Foreign messages, * for what varies', style.columns, style), '', ...formatMessages(counts, style));
  }
  return `${lines.join('\n')}\n`;
}

/** The names of the logs; those between the first and the last only if they fit. */
function formatSources(places: LinePlaces, style: Style): string {
  const naming = { nameOf: (source: string) => formatName(encodeText(source), style), cut: glyphsOf(style).cut };
  const name = nameSources(places, naming);
  return places.sources.length === 1 || name.length <= style.columns ? name : nameSources(places, { ...naming, maxNamed: 1 });
}

/** A line of count, share, bar and name for each target. The name comes last: a terminal may show it wider than expected. */
function formatTargets(counts: LogCounts, style: Style): readonly string[] {
  const rows = targetRows(counts, style);
  const most = Math.max(...rows.map(({ count }) => count));
  const countColumns = formatCount(most).length;
  const barColumns = Math.max(MIN_BAR_COLUMNS, Math.min(MAX_BAR_COLUMNS, Math.floor(style.columns / 5)));
  return rows.map(({ count, label }) => {
    const share = `${((100 * count) / counts.groups).toFixed(1)}%`.padStart(6);
    const bar = barCells(count / most, barColumns, glyphsOf(style).horizontal).join('');
    const head = `${formatCount(count).padStart(countColumns)} ${share} ${bar} `;
    return head + fit(label, style.columns - head.length, style, 'middle');
  });
}

/** The lines of the most frequent messages, each after its count. */
function formatMessages(counts: LogCounts, style: Style): readonly string[] {
  const rows = messageRows(counts, style);
  const countColumns = Math.max(...rows.map(({ count }) => formatCount(count).length));
  const indent = ' '.repeat(countColumns + 1);
  return rows.flatMap(({ count, label }) => {
    const [first = '', ...others] = wrap(label, style.columns - indent.length, MESSAGE_LINES, style);
    return [`${formatCount(count).padStart(countColumns)} ${first}`.trimEnd(), ...others.map((line) => indent + line)];
  });
}
