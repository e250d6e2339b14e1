import { twoDigits } from '../log/calendar.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

/** The index of the two digits of the second, at the end of `<timestamp>`. */
const SECOND_AT = TIMESTAMP_END - 'SS'.length;

/**
 * Reads the stamps of load-failure records (2.1), one after the other: bytes of a block up to the end of `<utc_offset>`. A stamp like
 * the last one is not read again, and of a stamp in the same minute only the second is.
 */
export class StampReader implements Stamp {
  timestamp = '';
  utcOffset = '';
  /** The timestamp as if it were UTC, in seconds since 1970-01-01T00:00:00; NaN for bytes that are not a timestamp. */
  localSecond = NaN;
  /** The Unix second of timestamp and offset; NaN for bytes that are not a stamp. */
  second = NaN;
  /** The first second of its minute, as `localSecond`, and the offset in seconds. */
  #localMinute = NaN;
  #offset = NaN;
  /** The bytes that were read last. */
  readonly #bytes = new Uint8Array(UTC_OFFSET_END);

  /** Reads the stamp of the record that begins at an index of a block. */
  read(block: Buffer, at: number): void {
    const isSameMinute = this.#isSame(block, at, 0, SECOND_AT) && this.#isSame(block, at, TIMESTAMP_END, UTC_OFFSET_END);
    if (isSameMinute && this.#isSame(block, at, SECOND_AT, TIMESTAMP_END)) return;
    if (!isSameMinute) {
      this.#bytes.set(block.subarray(at, at + UTC_OFFSET_END));
      const text = block.toString('latin1', at, at + UTC_OFFSET_END);
      this.utcOffset = text.slice(ZONE_AT);
      this.#localMinute = parseTimestamp(`${text.slice(0, SECOND_AT)}00`, TIMESTAMP_AT);
      this.#offset = parseUtcOffset(text, ZONE_AT);
    }
    for (let index = SECOND_AT; index < TIMESTAMP_END; index += 1) this.#bytes[index] = block[at + index] ?? 0;
    this.timestamp = block.toString('latin1', at + TIMESTAMP_AT, at + TIMESTAMP_END);
    const seconds = twoDigits(this.timestamp, SECOND_AT - TIMESTAMP_AT);
    this.localSecond = seconds < 60 ? this.#localMinute + seconds : NaN;
    this.second = this.localSecond - this.#offset;
  }

  #isSame(block: Buffer, at: number, from: number, until: number): boolean {
    for (let index = from; index < until; index += 1) if (block[at + index] !== this.#bytes[index]) return false;
    return true;
  }
}
