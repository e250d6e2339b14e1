import { decodeText } from '../log/byte-string.js';
import { escapeBytes, escapeText } from '../wording.js';

export interface Style {
  readonly columns: number;
  /** ASCII alone in files, in pipes, and on terminals without UTF-8. */
  readonly isPlain: boolean;
}

export type Charset = Pick<Style, 'isPlain'>;

/** The characters of bars, whose cells are given from empty to full, and of axes. */
const BLOCKS = { vertical: ' ▁▂▃▄▅▆▇█', horizontal: ' ▏▎▍▌▋▊▉█', side: '│', corner: '└', bottom: '─', tick: '┴', cut: '…' };
const ASCII: typeof BLOCKS = { vertical: ' .:#', horizontal: ' #', side: '|', corner: '+', bottom: '-', tick: '+', cut: '...' };

export function glyphsOf({ isPlain }: Charset): typeof BLOCKS {
  return isPlain ? ASCII : BLOCKS;
}

/** The cells of a bar of which a share is filled, 0 to 1; anything but 0 is visible. @param ramp the glyphs of a cell, from empty to full */
export function barCells(share: number, cells: number, ramp: string): readonly string[] {
  const steps = ramp.length - 1;
  const filled = share === 0 ? 0 : Math.max(1, Math.round(share * cells * steps));
  return Array.from({ length: cells }, (_, index) => ramp[Math.min(steps, Math.max(0, filled - index * steps))] ?? '');
}

/** Cuts a text to a width: at its end, or in its middle, since names may differ only at their ends. */
export function fit(text: string, columns: number, charset: Charset, where: 'end' | 'middle' = 'end'): string {
  if (startOf(text, columns) === text) return text;
  const { cut } = glyphsOf(charset);
  const tailColumns = where === 'end' ? 0 : Math.floor((columns - cut.length) / 2);
  // No character is less wide than long.
  const tail = reverse(startOf(reverse(text.slice(-columns)), tailColumns));
  return startOf(text, columns - cut.length - tailColumns) + cut + tail;
}

/** Breaks a text at a space into two lines of a width, unless it fits into one; the second is cut at its end. */
export function wrap(text: string, columns: number, charset: Charset): readonly string[] {
  const start = startOf(text, columns);
  if (start === text) return [text];
  const space = text.lastIndexOf(' ', start.length);
  const end = space > 0 ? space : start.length;
  return [text.slice(0, end).trimEnd(), fit(text.slice(end).trimStart(), columns, charset)];
}

/** The longest beginning of a text that fits into a width. Every character outside ASCII counts as two columns wide. */
function startOf(text: string, columns: number): string {
  let length = 0;
  let taken = 0;
  for (const character of text) {
    taken += character <= '~' ? 1 : 2;
    if (taken > columns) break;
    length += character.length;
  }
  return text.slice(0, length);
}

function reverse(text: string): string {
  return Array.from(text).toReversed().join('');
}

/** A name from the log, a byte string, as text that is escaped for the charset. */
export function formatName(name: string, { isPlain }: Charset): string {
  const text = isPlain ? undefined : decodeText(name);
  return text === undefined ? escapeBytes(name) : escapeText(text);
}
