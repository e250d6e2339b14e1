import type { Batches } from '../log/group.js';
import { renderPieces, type Origin, type Piece } from './piece.js';

/** A character takes at most this many bytes: three in UTF-8 (U+FFFF; beyond it a character is two of a string's units). */
const MAX_CHARACTER_BYTES = 3;

/**
 * Renders origins to pieces, each of them a text: rows of a list, records as JSON, lines of a report. Texts are encoded into one
 * buffer, one after the other.
 *
 * @param format gives the text of an origin; it ends in LF
 * @param encoding `latin1` where texts are byte strings
 */
export function renderTexts<T extends Origin>(
  origins: Batches<T>,
  format: (origin: T) => string,
  encoding: 'latin1' | 'utf8',
): AsyncGenerator<Iterable<Piece<T>>> {
  let buffer = Buffer.alloc(4096);
  return renderPieces(origins, (origin) => {
    const text = format(origin);
    const mostBytes = text.length * MAX_CHARACTER_BYTES;
    if (mostBytes > buffer.length) buffer = Buffer.alloc(2 * mostBytes);
    return buffer.subarray(0, buffer.write(text, encoding));
  });
}
