import type { FormMismatch } from '../compare/findings.js';
import { formatPlace } from '../errors.js';
import { countOf, quoteBytes, quoteText, showBytes } from '../wording.js';
import { say } from './messages.js';

/** The number of keys of an object that a message names. */
const SHOWN_KEYS = 10;

/** A message shows this many characters of a key. */
const SHOWN_CHARACTERS = 40;

/** Says why received inputs as a whole can hardly be compared, and what to give. @param path that of `--field` */
export function sayMismatch(mismatch: FormMismatch, received: readonly string[], path: string | undefined): void {
  const sources = received.map((source) => formatPlace({ source })).join(', ');
  say(`${sources}: ${describeMismatch(mismatch, path)}`);
}

function describeMismatch(mismatch: FormMismatch, path: string | undefined): string {
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
  const what =
    without === objects
      ? `no received object has ${field}`
      : `only ${String(objects - without)} of ${countOf(objects, 'received object')} have ${field}`;
  return `${what}; the first ${without === objects ? '' : 'without '}has: ${listKeys(keys)}`;
}

function listKeys(keys: readonly string[]): string {
  if (keys.length === 0) return 'no keys';
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => showBytes(key, SHOWN_CHARACTERS));
  return `${shown.join(', ')}${keys.length > SHOWN_KEYS ? ', …' : ''}`;
}
