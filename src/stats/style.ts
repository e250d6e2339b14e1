/** How a report is shown. */
export interface Style {
  /** How many columns a line may have. */
  readonly columns: number;
  /** ASCII alone, for files, pipes and terminals that know no UTF-8. */
  readonly isPlain: boolean;
}

/** What bars and axes are drawn with. */
interface Glyphs {
  /** The cell of an upright bar, from empty to full. */
  readonly upright: string;
  /** The cell of a lying bar, from empty to full. */
  readonly lying: string;
  readonly side: string;
  readonly corner: string;
  readonly bottom: string;
  readonly tick: string;
  readonly cut: string;
}

const BLOCKS: Glyphs = {
  upright: ' ▁▂▃▄▅▆▇█',
  lying: ' ▏▎▍▌▋▊▉█',
  side: '│',
  corner: '└',
  bottom: '─',
  tick: '┴',
  cut: '…',
};

const ASCII: Glyphs = { upright: ' .:#', lying: ' #', side: '|', corner: '+', bottom: '-', tick: '+', cut: '...' };

/** What a style draws with. */
export function glyphsOf({ isPlain }: Style): Glyphs {
  return isPlain ? ASCII : BLOCKS;
}

/** `1,234,567`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `3 days 4 h 5 min 6 s`, without what is zero. */
export function formatDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const parts: readonly (readonly [number, string])[] = [
    [days, days === 1 ? 'day' : 'days'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${formatCount(amount)} ${unit}`);
  return shown.length === 0 ? '0 s' : shown.join(' ');
}

/**
 * How full each cell of a bar is.
 *
 * @param share 0 to 1 of all cells; what is not 0 shows
 * @param ramp the cell from empty to full
 */
export function barCells(share: number, cells: number, ramp: string): readonly string[] {
  const steps = ramp.length - 1;
  const filled = share === 0 ? 0 : Math.max(1, Math.round(share * cells * steps));
  return Array.from({ length: cells }, (_, index) => ramp[Math.min(steps, Math.max(0, filled - index * steps))] ?? '');
}
