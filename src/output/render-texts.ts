import type { Batches } from '../log/group.js';
import { renderPieces, type Origin, type Piece } from './piece.js';

/** The most bytes that a UTF-16 code unit takes in UTF-8 (U+FFFF takes three; a surrogate pair takes four). */
const MAX_CODE_UNIT_BYTES = 3;

/** The last line of a report, which is not counted. @param text ends in LF */
export function renderSummary(text: string): Piece {
  return { bytes: Buffer.from(text), count: 0, origin: {} };
}

/**
 * Makes a function that encodes texts: a row of a list, a record as JSON, a line of a report. All texts are encoded into one buffer:
 * bytes are valid until the next call.
 *
 * @param format gives the text of an origin, which ends in LF
 * @param encoding `latin1` for byte strings
 */
export function textRenderer<T extends Origin>(
  format: (origin: T) => string,
  encoding: 'latin1' | 'utf8',
): (origin: T) => Uint8Array {
  let buffer = Buffer.alloc(4096);
  return (origin) => {
    const text = format(origin);
    const mostBytes = text.length * MAX_CODE_UNIT_BYTES;
    if (mostBytes > buffer.length) buffer = Buffer.alloc(2 * mostBytes);
    return buffer.subarray(0, buffer.write(text, encoding));
  };
}

/** Renders a piece for each origin, its text. See `textRenderer`. */
export function renderTexts<T extends Origin>(
  origins: Batches<T>,
  format: (origin: T) => string,
  encoding: 'latin1' | 'utf8',
): AsyncGenerator<Iterable<Piece<T>>> {
  return renderPieces(origins, textRenderer(format, encoding));
}
