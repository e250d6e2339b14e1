import type { FormMismatch } from '../compare/findings.js';
import { formatPlace } from '../errors.js';
import { countOf, quoteBytes, quoteText, showBytes } from '../wording.js';

/** The number of keys of an object that a message names, and of characters of each. */
const SHOWN_KEYS = 10;
const SHOWN_CHARACTERS = 40;

/** Says why received inputs as a whole can hardly be compared, and what to give: a message. @param path that of `--field` */
export function describeMismatch(mismatch: FormMismatch, received: readonly string[], path: string | undefined): string {
  return `${received.map((source) => formatPlace({ source })).join(', ')}: ${explainMismatch(mismatch, path)}`;
}

function explainMismatch(mismatch: FormMismatch, path: string | undefined): string {
  if (mismatch.cause === 'is-json') return 'received is NDJSON; give --field or --fields';
  if (mismatch.cause === 'not-json')
    return "received is not NDJSON, one object a line; convert it with jq -c (an array with jq -c '.[]'), or leave out --field and --fields";
  if (mismatch.cause === 'exchanged') return 'received is not NDJSON, and the expected log is; name the log that was sent first';
  if (mismatch.cause === 'no-stamps') {
    const [these, those] = mismatch.side === 'sent' ? ['sent', 'received'] : ['received', 'sent'];
    return `the records ${these} have no timestamps of their own, those ${those} have; write the log with the driver of the other side, such as --envelope syslog`;
  }
  if (mismatch.cause === 'prefix') {
    const { length } = mismatch.prefix;
    return `each line has ${quoteBytes(mismatch.prefix)} before the record; take it off: LC_ALL=C sed 's/^.\\{${String(length)}\\}//' FILE`;
  }
  const { objects, without, keys } = mismatch;
  const field = path === undefined ? 'a field that --fields names' : `the field ${quoteText(path)}`;
  const names = keys.slice(0, SHOWN_KEYS).map((key) => showBytes(key, SHOWN_CHARACTERS));
  if (keys.length > SHOWN_KEYS) names.push('…');
  const shown = names.length === 0 ? 'no keys' : names.join(', ');
  if (without === objects) return `no received object has ${field}; the first has: ${shown}`;
  const some = `only ${String(objects - without)} of ${countOf(objects, 'received object')} have ${field}`;
  return `${some}; the first without has: ${shown}`;
}
