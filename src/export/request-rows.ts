import { formatIso } from '../log/timestamp.js';
import type { LoggedRequest } from '../reading/logged-request.js';
import { formatRow } from '../requests/list/format-row.js';

/** Formats the requests of a log as rows of a request list, with the time and the offset that the log shows, to the second. */
export class RequestRows {
  #timestamp = '';
  #utcOffset = '';
  #iso = '';

  /** The row of a request, a byte string; ends in LF. */
  format(request: LoggedRequest): string {
    // Many requests share a second.
    if (request.timestamp !== this.#timestamp || request.utcOffset !== this.#utcOffset) {
      this.#iso = formatIso(request);
      this.#timestamp = request.timestamp;
      this.#utcOffset = request.utcOffset;
    }
    return formatRow(this.#iso, request.method, request.target);
  }
}
