import { formatTimestamp } from '../log/timestamp.js';
import { formatCount, formatDuration } from '../wording.js';
import type { LogCounts } from './count-log.js';
import { barCells, glyphsOf, type Style } from './style.js';

/** The height of the bars in lines. */
const HEIGHT = 8;

/** The widest bar in columns; from three columns on, one is a gap. */
const MAX_BAR_COLUMNS = 8;
const GAP_FROM = 3;

/** The least distance between labels in columns. */
const LABEL_GAP = 2;

/** Draws requests over time as a chart of vertical bars, under its heading. @param counts hold at least one request */
export function formatChart({ timeline, groups }: LogCounts, style: Style): readonly string[] {
  const glyphs = glyphsOf(style);
  // No bar stands for more than all requests.
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
  const heading = `Requests per ${formatDuration(width)}, log's clock`;
  return [heading, '', ...rows, `${'0'.padStart(labelColumns)} ${glyphs.corner}${axis}`, indent + under];
}

/** The beginning of a bucket, as precise as its width in seconds requires. */
export function formatStart(start: number, width: number): string {
  const timestamp = formatTimestamp(start, 0);
  if (width < 60) return timestamp.slice(12);
  return width < 86_400 ? `${timestamp.slice(0, 6)} ${timestamp.slice(12, 17)}` : timestamp.slice(0, 11);
}
