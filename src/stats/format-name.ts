import { decodeText } from '../log/byte-string.js';
import { escapeBytes, escapeText } from '../wording.js';
import type { Charset } from './style.js';

/** The part of each end of a name that is escaped and measured, in bytes: a target may be a MiB long. */
const MAX_END_BYTES = 2048;

/** A name from the log, a byte string, as text that is escaped for the charset. Of a long name the middle is left out. */
export function formatName(name: string, { isPlain }: Charset): string {
  const ends = name.length <= 2 * MAX_END_BYTES ? name : name.slice(0, MAX_END_BYTES) + name.slice(-MAX_END_BYTES);
  const text = isPlain ? undefined : decodeText(ends);
  return text === undefined ? escapeBytes(ends) : escapeText(text);
}
