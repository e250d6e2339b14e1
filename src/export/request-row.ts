import { formatIso } from '../log/timestamp.js';
import type { LoggedRequest } from '../reading/logged-request.js';
import { formatRow } from '../requests/list/format-row.js';

/**
 * Formats a request of a log as a row of a request list, with the time and the offset that the log shows, to the second: a byte
 * string; ends in LF.
 */
export function formatRequestRow(request: LoggedRequest): string {
  return formatRow(formatIso(request), request.method, request.target);
}
