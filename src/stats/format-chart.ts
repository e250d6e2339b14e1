import { formatTimestamp } from '../log/timestamp.js';
import { formatCount } from '../wording.js';
import { barCells, glyphsOf, type Style } from './style.js';
import type { Timeline } from './timeline.js';

/** The height of the bars in lines. */
const HEIGHT = 8;

/** The widest bar in columns; from three columns on, one is a gap. */
const MAX_BAR_COLUMNS = 8;
const GAP_FROM = 3;

/** The least distance between labels in columns. */
const LABEL_GAP = 2;

/**
 * Draws requests over time as a chart of vertical bars.
 *
 * @param timeline holds at least one request
 * @param groups the number of all requests: no bucket holds more
 * @returns the lines, and the seconds that a bar stands for
 */
export function formatChart(
  timeline: Timeline,
  groups: number,
  style: Style,
): { readonly width: number; readonly lines: readonly string[] } {
  const glyphs = glyphsOf(style);
  const labelColumns = formatCount(groups).length;
  const columns = style.columns - labelColumns - ` ${glyphs.side}`.length;
  const { width, buckets } = timeline.spread(columns);
  const most = Math.max(0, ...buckets.map(({ count }) => count));
  const barColumns = Math.min(MAX_BAR_COLUMNS, Math.floor(columns / buckets.length));
  const bars = buckets.map(({ count }) => barCells(count / most, HEIGHT, glyphs.vertical));
  const widen = (cell: string): string => (barColumns < GAP_FROM ? cell.repeat(barColumns) : `${cell.repeat(barColumns - 1)} `);
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const label = index === 0 ? formatCount(most) : '';
    const cells = bars.map((bar) => widen(bar[HEIGHT - 1 - index] ?? '')).join('');
    return `${label.padStart(labelColumns)} ${glyphs.side}${cells}`.trimEnd();
  });
  const indent = ' '.repeat(labelColumns + 2);
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
  return { width, lines: [...rows, `${'0'.padStart(labelColumns)} ${glyphs.corner}${axis}`, indent + under] };
}

/** The beginning of a bucket, as precise as its width in seconds requires. */
export function formatStart(start: number, width: number): string {
  const timestamp = formatTimestamp(start, 0);
  if (width < 60) return timestamp.slice(12);
  return width < 86_400 ? `${timestamp.slice(0, 6)} ${timestamp.slice(12, 17)}` : timestamp.slice(0, 11);
}
