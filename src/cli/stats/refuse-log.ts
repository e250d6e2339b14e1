import { closeSync, openSync, readSync } from 'node:fs';
import { CallError } from '../../errors.js';
import { isGzip } from '../../input/gate.js';
import { TIMESTAMP_AT } from '../../log/record.js';
import { parseTimestamp } from '../../log/timestamp.js';

/** The part of a file in which a record is looked for, in bytes. */
const START_BYTES = 1 << 16;

/**
 * Refuses to replace a log. `stats --html error.log*` names a log where the file of the page belongs, and that log would be lost.
 *
 * @param path a regular file
 * @throws CallError if the file is gzip, or if a line at its start begins with a timestamp in brackets (2.1); the system's error if the
 *   file cannot be read
 */
export function refuseLog(path: string): void {
  const start = readStart(path);
  if (!isGzip(start) && !start.toString('latin1').split('\n').some(isStamped)) return;
  throw new CallError({ source: path }, 'is a log, and the page would replace it', 'name the file of the page behind --html');
}

function readStart(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    const start = Buffer.alloc(START_BYTES);
    return start.subarray(0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
}

function isStamped(line: string): boolean {
  return line.startsWith('[') && !Number.isNaN(parseTimestamp(line, TIMESTAMP_AT));
}
