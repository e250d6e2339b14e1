import type { Fault } from '../request.js';

/** The beginning of a line of JSON. A record of a log begins with `[` and a digit. */
const JSON_BEGINNING = /^\s*(?:\{\s*(?:["}]|$)|\[\s*(?:["{]|$))/;

/**
 * Finds a line of JSON where a row of CSV belongs; its quotes and commas are not those of CSV.
 *
 * @param columns the columns of the list, as a JSON object may name them
 */
export function findJsonFault(text: string, columns: readonly string[]): Fault | undefined {
  if (!JSON_BEGINNING.test(text)) return undefined;
  const filter = `[${columns.map((column) => `.${column}`).join(', ')}] | @csv`;
  return { problem: 'it is a line of JSON', remedy: `convert it to CSV, such as with jq -r '${filter}'` };
}
