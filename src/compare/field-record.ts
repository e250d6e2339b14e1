import { quoteText } from '../wording.js';
import type { ObjectFault, ObjectReader } from './json-records.js';
import { valueAt } from './json-path.js';

/**
 * Reads the raw line in a field (`--field`). An LF at its end is that of the line, as Docker's json-file driver keeps it.
 *
 * @param path keys with dots between them
 */
export function readLineField(path: string): ObjectReader {
  const absent: ObjectFault = { fault: `no field ${quoteText(path)}`, isAbsent: true };
  const notText: ObjectFault = { fault: `its field ${quoteText(path)} is not text` };
  const read: ObjectReader['read'] = (value) => {
    const found = valueAt(value, path);
    if (found === undefined || found === null) return absent;
    if (typeof found === 'number') return String(found);
    if (typeof found !== 'string') return notText;
    return found.endsWith('\n') ? found.slice(0, -1) : found;
  };
  return { read, keepsLines: false, keepsLongNumbers: false };
}
