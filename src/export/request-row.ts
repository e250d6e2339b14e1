import { formatIso } from '../log/timestamp.js';
import type { LoggedRequest } from '../reading/whole-group.js';
import { formatRow } from '../requests/list/format-row.js';

/** The index of the second in a timestamp, `DD-Mon-YYYY HH:MM:SS`, and in ISO 8601. */
const SECOND_AT = 18;
const ISO_SECOND_AT = 17;

const MAX_ROWS = 1024;
const MAX_ROW_BYTES = 1024;

/** Renders requests of a log as rows of a request list, with its time and offset. A row of a known target is patched. */
export class RequestRowRenderer {
  readonly #rows = new Map<string, { readonly method: string; readonly row: Uint8Array }>();
  /** The time at the beginning of a row; in its minute, only the second is patched. */
  readonly #iso = Buffer.alloc('YYYY-MM-DDTHH:MM:SS+HH:MM'.length);
  #minute = '';
  #utcOffset = '';

  /** Renders a row that is valid until the next call. */
  render(request: LoggedRequest): Uint8Array {
    const { method, target, timestamp, utcOffset } = request;
    if (utcOffset !== this.#utcOffset || !timestamp.startsWith(this.#minute)) {
      this.#iso.write(formatIso(request), 'latin1');
      this.#minute = timestamp.slice(0, SECOND_AT);
      this.#utcOffset = utcOffset;
    }
    this.#iso[ISO_SECOND_AT] = timestamp.charCodeAt(SECOND_AT);
    this.#iso[ISO_SECOND_AT + 1] = timestamp.charCodeAt(SECOND_AT + 1);
    const known = this.#rows.get(target);
    if (known?.method === method) {
      known.row.set(this.#iso);
      return known.row;
    }
    const row = Buffer.from(formatRow(this.#iso.toString('latin1'), method, target), 'latin1');
    if (this.#rows.size < MAX_ROWS && row.length <= MAX_ROW_BYTES) this.#rows.set(target, { method, row });
    return row;
  }
}
