/** The header of a request list; ends in LF. */
export const LIST_HEADER = 'timestamp,http_method,request_target\n';

/**
 * A row of a request list, the inverse of what `readRequestList` reads; ends in LF. Cells are quoted where RFC 4180 needs it.
 *
 * @param timestamp in any form that a list may have
 * @param method a byte string, as the target is
 */
export function formatRow(timestamp: string, method: string, target: string): string {
  return `${timestamp},${formatCell(method)},${formatCell(target)}\n`;
}

const NEEDS_QUOTES = /[",]/;

function formatCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
