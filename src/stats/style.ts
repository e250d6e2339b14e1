/** The characters of a report. */
export interface Charset {
  /** True for ASCII alone: in files, in pipes, and on terminals without UTF-8. */
  readonly isPlain: boolean;
}

/** The look of a report in text. */
export interface Style extends Charset {
  /** The width of a line in columns. */
  readonly columns: number;
}

/** The characters of bars and axes. */
interface Glyphs {
  /** The cell of a vertical bar, from empty to full. */
  readonly vertical: string;
  /** The cell of a horizontal bar, from empty to full. */
  readonly horizontal: string;
  readonly side: string;
  readonly corner: string;
  readonly bottom: string;
  readonly tick: string;
  readonly cut: string;
}

const BLOCKS: Glyphs = {
  vertical: ' ▁▂▃▄▅▆▇█',
  horizontal: ' ▏▎▍▌▋▊▉█',
  side: '│',
  corner: '└',
  bottom: '─',
  tick: '┴',
  cut: '…',
};

const ASCII: Glyphs = { vertical: ' .:#', horizontal: ' #', side: '|', corner: '+', bottom: '-', tick: '+', cut: '...' };

/** The glyphs of a report. */
export function glyphsOf({ isPlain }: Charset): Glyphs {
  return isPlain ? ASCII : BLOCKS;
}

/**
 * The cells of a bar.
 *
 * @param share the filled part of the bar, 0 to 1; anything but 0 is visible
 * @param ramp the characters of a cell, from empty to full
 */
export function barCells(share: number, cells: number, ramp: string): readonly string[] {
  const steps = ramp.length - 1;
  const filled = share === 0 ? 0 : Math.max(1, Math.round(share * cells * steps));
  return Array.from({ length: cells }, (_, index) => ramp[Math.min(steps, Math.max(0, filled - index * steps))] ?? '');
}
