import { decodeText } from '../log/byte-string.js';
import { escapeBytes, escapeText } from '../wording.js';

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
const BLOCKS = {
  /** The cell of a vertical bar, from empty to full. */
  vertical: ' ▁▂▃▄▅▆▇█',
  /** The cell of a horizontal bar, from empty to full. */
  horizontal: ' ▏▎▍▌▋▊▉█',
  side: '│',
  corner: '└',
  bottom: '─',
  tick: '┴',
  cut: '…',
};

const ASCII: typeof BLOCKS = { vertical: ' .:#', horizontal: ' #', side: '|', corner: '+', bottom: '-', tick: '+', cut: '...' };

/** The glyphs of a report. */
export function glyphsOf({ isPlain }: Charset): typeof BLOCKS {
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

/** Cuts a text to a width: at its end, or in its middle, since names may differ only at their ends. */
export function fit(text: string, columns: number, charset: Charset, where: 'end' | 'middle' = 'end'): string {
  const { cut } = glyphsOf(charset);
  const characters = Array.from(text);
  if (countWithin(characters, columns) === characters.length) return text;
  const tailColumns = where === 'end' ? 0 : Math.floor((columns - cut.length) / 2);
  const head = characters.slice(0, countWithin(characters, columns - cut.length - tailColumns));
  const tail = characters.slice(characters.length - countWithin(characters.toReversed(), tailColumns));
  return head.join('') + cut + tail.join('');
}

/** Breaks a text at a space into two lines of a width, unless it fits into one; the second is cut at its end. */
export function wrap(text: string, columns: number, charset: Charset): readonly string[] {
  const characters = Array.from(text);
  const fitting = countWithin(characters, columns);
  if (fitting === characters.length) return [text];
  const space = characters.lastIndexOf(' ', fitting);
  const end = space > 0 ? space : fitting;
  const rest = characters.slice(end).join('').trimStart();
  return [characters.slice(0, end).join('').trimEnd(), fit(rest, columns, charset)];
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

/** The part of each end of a name that is escaped and measured, in bytes: a target may be a MiB long. */
const MAX_END_BYTES = 2048;

/** A name from the log, a byte string, as text that is escaped for the charset. Of a long name the middle is left out. */
export function formatName(name: string, { isPlain }: Charset): string {
  const isLong = name.length > 2 * MAX_END_BYTES;
  // Without the UTF-8 sequences that the cuts may tear.
  const head = name.slice(0, MAX_END_BYTES).replace(/[\xc0-\xff][\x80-\xbf]{0,3}$/, '');
  const tail = name.slice(-MAX_END_BYTES).replace(/^[\x80-\xbf]{1,3}/, '');
  const ends = isLong ? head + tail : name;
  const text = isPlain ? undefined : decodeText(ends);
  return text === undefined ? escapeBytes(ends) : escapeText(text);
}
