import { LF } from '../log/byte-string.js';
import { drawBelow, type Draw } from '../requests/draws.js';
import { changeTo, type Change } from './fault.js';

// Each of these breaks a group in one place. Records are byte strings without the LFs that end them; a group has two at least.

/**
 * Cuts a record: at least one byte of it stays, never all. What stays is alone on its line, or has the next record of the group behind it.
 * The last record of a group keeps its LF, so that the fault stays within the group.
 */
export function tear(records: readonly string[], draw: Draw): Change {
  const at = drawBelow(records.length, draw);
  const record = records[at] ?? '';
  const bytes = 1 + drawBelow(record.length - 1, draw);
  const isJoined = drawBelow(2, draw) === 1 && at + 1 < records.length;
  const kept = record.slice(0, bytes);
  const put = isJoined ? [kept + (records[at + 1] ?? '')] : [kept];
  return changeTo(replace(records, at, isJoined ? 2 : 1, put), at, 1, { kind: 'torn', bytes });
}

/** Drops a record. */
export function drop(records: readonly string[], draw: Draw): Change {
  const at = drawBelow(records.length, draw);
  return changeTo(replace(records, at, 1, []), at, 0, { kind: 'missing' });
}

/** Writes a record twice. */
export function duplicate(records: readonly string[], draw: Draw): Change {
  const at = drawBelow(records.length, draw);
  const record = records[at] ?? '';
  return changeTo(replace(records, at, 1, [record, record]), at, 2, { kind: 'duplicate' });
}

/** Lets two neighbouring records change places. */
export function swap(records: readonly string[], draw: Draw): Change {
  const at = drawBelow(records.length - 1, draw);
  const put = [records[at + 1] ?? '', records[at] ?? ''];
  return changeTo(replace(records, at, 2, put), at, 2, { kind: 'swapped' });
}

/** Ends a record, or all records of the group, in CR LF. */
export function endInCrlf(records: readonly string[], draw: Draw): Change {
  const details = { kind: 'crlf' } as const;
  if (drawBelow(2, draw) === 1) {
    return changeTo(
      records.map((record) => `${record}\r`),
      0,
      records.length,
      details,
    );
  }
  const at = drawBelow(records.length, draw);
  return changeTo(replace(records, at, 1, [`${records[at] ?? ''}\r`]), at, 1, details);
}

const MOST_GARBAGE_BYTES = 200;
/** From here on no byte occurs in UTF-8, whatever stands beside it. */
const FIRST_BYTE_OF_NO_TEXT = 0xf8;

/** Puts a line of 1 to 200 bytes that is not text behind one of the records, so that no log begins with it. */
export function addGarbage(records: readonly string[], draw: Draw): Change {
  const at = 1 + drawBelow(records.length, draw);
  const length = 1 + drawBelow(MOST_GARBAGE_BYTES, draw);
  const notText = drawBelow(length, draw);
  let line = '';
  for (let index = 0; index < length; index += 1) {
    const from = index === notText ? FIRST_BYTE_OF_NO_TEXT : 0;
    const byte = from + drawBelow(0x100 - from, draw);
    line += byte === LF ? '\0' : String.fromCharCode(byte);
  }
  return changeTo(replace(records, at, 0, [line]), at, 1, { kind: 'garbage' });
}

/** A copy of records in which others stand in the place of some. */
export function replace(records: readonly string[], at: number, count: number, put: readonly string[]): string[] {
  return [...records.slice(0, at), ...put, ...records.slice(at + count)];
}
