import { LF } from '../log/byte-string.js';
import { drawBelow, type Draw } from '../requests/draws.js';
import type { Change } from './fault.js';
import type { HeldGroup } from './held-group.js';

// Each of these breaks a group in one place.

/**
 * Cuts a record: at least one byte of it stays, never all. What stays is alone on its line, or has the next record of the group behind it.
 * The last record of a group keeps its LF, so that the fault stays within the group.
 */
export function tear(group: HeldGroup, draw: Draw): Change {
  const { count } = group;
  const at = drawBelow(count, draw);
  const record = group.record(at);
  const bytes = 1 + drawBelow(record.length - 1, draw);
  const isJoined = drawBelow(2, draw) === 1 && at + 1 < count;
  const kept = [group.slice(0, at), record.subarray(0, bytes), ...(isJoined ? [] : ['\n'])];
  return {
    parts: [...kept, group.slice(at + 1, count)],
    lineCount: isJoined ? count - 1 : count,
    at,
    touched: 1,
    details: { kind: 'torn', bytes },
  };
}

/** Drops a record. */
export function drop(group: HeldGroup, draw: Draw): Change {
  const { count } = group;
  const at = drawBelow(count, draw);
  const parts = [group.slice(0, at), group.slice(at + 1, count)];
  return { parts, lineCount: count - 1, at, touched: 0, details: { kind: 'missing' } };
}

/** Writes a record twice. */
export function duplicate(group: HeldGroup, draw: Draw): Change {
  const { count } = group;
  const at = drawBelow(count, draw);
  const parts = [group.slice(0, at + 1), group.slice(at, count)];
  return { parts, lineCount: count + 1, at, touched: 2, details: { kind: 'duplicate' } };
}

/** Lets two neighbouring records change places. */
export function swap(group: HeldGroup, draw: Draw): Change {
  const { count } = group;
  const at = drawBelow(count - 1, draw);
  const parts = [group.slice(0, at), group.slice(at + 1, at + 2), group.slice(at, at + 1), group.slice(at + 2, count)];
  return { parts, lineCount: count, at, touched: 2, details: { kind: 'swapped' } };
}

/** Ends a record, or all records of the group, in CR LF. */
export function endInCrlf(group: HeldGroup, draw: Draw): Change {
  const { count } = group;
  const isAll = drawBelow(2, draw) === 1;
  const at = isAll ? 0 : drawBelow(count, draw);
  const touched = isAll ? count : 1;
  const parts: (Uint8Array | string)[] = [group.slice(0, at)];
  for (let index = at; index < at + touched; index += 1) parts.push(group.record(index), '\r\n');
  return { parts: [...parts, group.slice(at + touched, count)], lineCount: count, at, touched, details: { kind: 'crlf' } };
}

const MOST_GARBAGE_BYTES = 200;
/** From here on no byte occurs in UTF-8, whatever stands beside it. */
const FIRST_BYTE_OF_NO_TEXT = 0xf8;

/** Puts a line of 1 to 200 bytes that is not text behind one of the records, so that no log begins with it. */
export function addGarbage(group: HeldGroup, draw: Draw): Change {
  const { count } = group;
  const at = 1 + drawBelow(count, draw);
  const length = 1 + drawBelow(MOST_GARBAGE_BYTES, draw);
  const line = Buffer.alloc(length + 1, LF);
  for (let index = 0; index < length; index += 1) {
    const byte = drawBelow(0x100, draw);
    line[index] = byte === LF ? 0 : byte;
  }
  line[drawBelow(length, draw)] = FIRST_BYTE_OF_NO_TEXT + drawBelow(0x100 - FIRST_BYTE_OF_NO_TEXT, draw);
  const parts = [group.slice(0, at), line, group.slice(at, count)];
  return { parts, lineCount: count + 1, at, touched: 1, details: { kind: 'garbage' } };
}
