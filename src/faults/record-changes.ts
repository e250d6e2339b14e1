import { LF } from '../log/byte-string.js';
import { drawBelow, type Draw } from '../requests/draws.js';
import type { Splice } from './fault.js';
import type { HeldGroup } from './held-group.js';

// Each of these breaks a group in one place.

/**
 * Cuts a record: at least one byte of it stays, never all. What stays is alone on its line, or has the next record of the group behind it.
 * The last record of a group keeps its LF, so that the fault stays within the group.
 */
export function tear({ starts, count }: HeldGroup, draw: Draw): Splice {
  const at = drawBelow(count, draw);
  const until = endOf(starts, at);
  const bytes = 1 + drawBelow(until - startOf(starts, at) - 2, draw);
  const isJoined = drawBelow(2, draw) === 1 && at + 1 < count;
  return {
    from: startOf(starts, at) + bytes,
    until,
    put: isJoined ? '' : '\n',
    lineCount: isJoined ? count - 1 : count,
    at,
    touched: 1,
    details: { kind: 'torn', bytes },
  };
}

/** Drops a record. */
export function drop({ starts, count }: HeldGroup, draw: Draw): Splice {
  const at = drawBelow(count, draw);
  return {
    from: startOf(starts, at),
    until: endOf(starts, at),
    put: '',
    lineCount: count - 1,
    at,
    touched: 0,
    details: { kind: 'missing' },
  };
}

/** Writes a record twice. */
export function duplicate(group: HeldGroup, draw: Draw): Splice {
  const { starts, count } = group;
  const at = drawBelow(count, draw);
  const from = startOf(starts, at);
  const put = group.text(from, endOf(starts, at));
  return { from, until: from, put, lineCount: count + 1, at, touched: 2, details: { kind: 'duplicate' } };
}

/** Lets two neighbouring records change places. */
export function swap(group: HeldGroup, draw: Draw): Splice {
  const { starts, count } = group;
  const at = drawBelow(count - 1, draw);
  const from = startOf(starts, at);
  const middle = endOf(starts, at);
  const until = endOf(starts, at + 1);
  return {
    from,
    until,
    put: group.text(middle, until) + group.text(from, middle),
    lineCount: count,
    at,
    touched: 2,
    details: { kind: 'swapped' },
  };
}

/** Ends a record, or all records of the group, in CR LF. */
export function endInCrlf(group: HeldGroup, draw: Draw): Splice {
  const { starts, count } = group;
  const details = { kind: 'crlf' } as const;
  if (drawBelow(2, draw) === 1) {
    const until = startOf(starts, count);
    const put = group.text(0, until).replaceAll('\n', '\r\n');
    return { from: 0, until, put, lineCount: count, at: 0, touched: count, details };
  }
  const at = drawBelow(count, draw);
  const until = endOf(starts, at);
  return { from: until - 1, until, put: '\r\n', lineCount: count, at, touched: 1, details };
}

const MOST_GARBAGE_BYTES = 200;
/** From here on no byte occurs in UTF-8, whatever stands beside it. */
const FIRST_BYTE_OF_NO_TEXT = 0xf8;

/** Puts a line of 1 to 200 bytes that is not text behind one of the records, so that no log begins with it. */
export function addGarbage({ starts, count }: HeldGroup, draw: Draw): Splice {
  const at = 1 + drawBelow(count, draw);
  const length = 1 + drawBelow(MOST_GARBAGE_BYTES, draw);
  const notText = drawBelow(length, draw);
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1) {
    const least = index === notText ? FIRST_BYTE_OF_NO_TEXT : 0;
    const byte = least + drawBelow(0x100 - least, draw);
    bytes[index] = byte === LF ? 0 : byte;
  }
  const from = startOf(starts, at);
  return {
    from,
    until: from,
    put: `${bytes.toString('latin1')}\n`,
    lineCount: count + 1,
    at,
    touched: 1,
    details: { kind: 'garbage' },
  };
}

function startOf(starts: readonly number[], at: number): number {
  return starts[at] ?? 0;
}

/** The end of a record, its LF included. */
function endOf(starts: readonly number[], at: number): number {
  return starts[at + 1] ?? 0;
}
