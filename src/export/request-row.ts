import { formatIso } from '../log/timestamp.js';
import type { LoggedRequest } from '../reading/whole-group.js';
import { formatRow } from '../requests/list/format-row.js';

/** The length of the time at the beginning of a row. */
const ISO_LENGTH = 'YYYY-MM-DDTHH:MM:SS+HH:MM'.length;

/** The index of the second in a timestamp, `DD-Mon-YYYY HH:MM:SS`, and in ISO 8601. */
const SECOND_AT = 18;
const ISO_SECOND_AT = 17;

/** The bounds of templates: their number, and the bytes of a row. */
const MAX_TEMPLATES = 1024;
const MAX_TEMPLATE_BYTES = 1024;

/** Formats a request of a log as a row of a request list, with the time and the offset of the log: a byte string that ends in LF. */
export function formatRequestRow(request: LoggedRequest): string {
  return formatRow(formatIso(request), request.method, request.target);
}

/** The last row of a target: its next row differs only in the time. */
interface Template {
  readonly method: string;
  readonly row: Uint8Array;
}

/** Renders the rows of `formatRequestRow` from templates, in which the time is replaced. */
export class RequestRowRenderer {
  readonly #templates = new Map<string, Template>();
  readonly #iso = Buffer.alloc(ISO_LENGTH);
  /** The time of the last row, without its second, and the offset. */
  #minute = '';
  #utcOffset = '';

  /** Renders the row of a request; valid until the next call. */
  render(request: LoggedRequest): Uint8Array {
    const { method, target } = request;
    const template = this.#templates.get(target);
    if (template?.method !== method) return this.#renderFirst(request);
    this.#setTime(request);
    template.row.set(this.#iso);
    return template.row;
  }

  #renderFirst(request: LoggedRequest): Uint8Array {
    const { method, target } = request;
    const row = Buffer.from(formatRequestRow(request), 'latin1');
    if (this.#templates.size < MAX_TEMPLATES && row.length <= MAX_TEMPLATE_BYTES) this.#templates.set(target, { method, row });
    return row;
  }

  #setTime(request: LoggedRequest): void {
    const { timestamp, utcOffset } = request;
    if (utcOffset !== this.#utcOffset || !timestamp.startsWith(this.#minute)) {
      this.#iso.write(formatIso(request), 'latin1');
      this.#minute = timestamp.slice(0, SECOND_AT);
      this.#utcOffset = utcOffset;
      return;
    }
    this.#iso[ISO_SECOND_AT] = timestamp.charCodeAt(SECOND_AT);
    this.#iso[ISO_SECOND_AT + 1] = timestamp.charCodeAt(SECOND_AT + 1);
  }
}
