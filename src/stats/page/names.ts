import { fitMiddle } from '../fit-text.js';
import { formatName } from '../format-name.js';

/** A page is UTF-8. */
export const CHARSET = { isPlain: false };

/** A longer name is cut in its middle. */
const MAX_NAME_COLUMNS = 240;

/** Cuts a name, which is text, to what a page shows of it. */
export function cutName(text: string): string {
  return fitMiddle(text, MAX_NAME_COLUMNS, CHARSET);
}

/** A name from the log, a byte string, as text for a page. */
export function showName(name: string): string {
  return cutName(formatName(name, CHARSET));
}
