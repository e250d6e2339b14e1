/** The header of a request list; ends in LF. */
export const LIST_HEADER = 'timestamp,http_method,request_target\n';

/**
 * Formats a row of a request list, the inverse of `readRequestList`; ends in LF. Cells are quoted where RFC 4180 requires it.
 *
 * @param timestamp a time in any form that a list may have
 * @param method a byte string
 * @param target a byte string
 */
export function formatRow(timestamp: string, method: string, target: string): string {
  return `${timestamp},${formatCell(method)},${formatCell(target)}\n`;
}

const NEEDS_QUOTES = /[",]/;

function formatCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
