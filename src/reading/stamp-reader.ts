import { isDigit } from '../log/calendar.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

/** The index of the two digits of the second, at the end of `<timestamp>`. */
const SECOND_AT = TIMESTAMP_END - 'SS'.length;

const SIX = 0x36;

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
  /** The bytes that were read last. */
  readonly #bytes = new Uint8Array(UTC_OFFSET_END);

  /** Reads the stamp of the record that begins at an index of a block. */
  read(block: Buffer, at: number): void {
    if (!this.#isSame(block, at, 0, SECOND_AT) || !this.#isSame(block, at, TIMESTAMP_END, UTC_OFFSET_END)) {
      this.#readAll(block, at);
    } else if (!this.#isSame(block, at, SECOND_AT, TIMESTAMP_END)) {
      this.#readSecond(block, at);
    }
  }

  #isSame(block: Buffer, at: number, from: number, until: number): boolean {
    for (let index = from; index < until; index += 1) if (block[at + index] !== this.#bytes[index]) return false;
    return true;
  }

  #readAll(block: Buffer, at: number): void {
    this.#bytes.set(block.subarray(at, at + UTC_OFFSET_END));
    const text = block.toString('latin1', at, at + UTC_OFFSET_END);
    this.timestamp = text.slice(TIMESTAMP_AT, TIMESTAMP_END);
    this.utcOffset = text.slice(ZONE_AT);
    this.localSecond = parseTimestamp(text, TIMESTAMP_AT);
    this.second = this.localSecond - parseUtcOffset(text, ZONE_AT);
  }

  /** Reads the second of a stamp that is in the minute of the last one. */
  #readSecond(block: Buffer, at: number): void {
    const tens = block[at + SECOND_AT] ?? 0;
    const ones = block[at + SECOND_AT + 1] ?? 0;
    const areDigits = isDigit(tens) && tens < SIX && isDigit(ones);
    if (!areDigits || Number.isNaN(this.second)) {
      this.#readAll(block, at);
      return;
    }
    const moved = (tens - (this.#bytes[SECOND_AT] ?? 0)) * 10 + ones - (this.#bytes[SECOND_AT + 1] ?? 0);
    this.#bytes[SECOND_AT] = tens;
    this.#bytes[SECOND_AT + 1] = ones;
    this.timestamp = block.toString('latin1', at + TIMESTAMP_AT, at + TIMESTAMP_END);
    this.localSecond += moved;
    this.second += moved;
  }
}
