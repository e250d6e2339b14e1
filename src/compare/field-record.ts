import { quoteText } from '../wording.js';
import type { ReadObject } from './json-records.js';
import { valueAt } from './json-path.js';

/**
 * Reads the raw line in a field (`--field`). An LF at its end is that of the line, as Docker's json-file driver keeps it.
 *
 * @param path keys with dots between them
 */
export function readLineField(path: string): ReadObject {
  const absent = { fault: `no field ${quoteText(path)}` };
  const notText = { fault: `its field ${quoteText(path)} is not text` };
  return (value) => {
    const found = valueAt(value, path);
    if (found === undefined || found === null) return absent;
    if (typeof found === 'number') return { text: String(found) };
    if (typeof found !== 'string') return notText;
    return { text: found.endsWith('\n') ? found.slice(0, -1) : found };
  };
}
