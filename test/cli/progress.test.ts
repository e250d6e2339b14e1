import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { measureRead } from '../../src/cli/inputs.js';
import { formatProgress, say, showStatus, type Progress } from '../../src/cli/messages.js';

describe('formatProgress', () => {
  test.each<[Progress, number, string]>([
    [{ share: 0.436, done: 1.2e9, unit: 'B' }, 4000, '43 %, 1.2 GB, 300 MB/s, 6 s left'],
    [{ share: 1, done: 999, unit: 'B' }, 1000, '100 %, 999 B, 999 B/s, 0 s left'],
    [{ share: 0, done: 0, unit: 'B' }, 1000, '0 %, 0 B, 0 B/s'],
    [{ share: undefined, done: 12_345, unit: 'B' }, 1000, '12 kB, 12 kB/s'],
    [{ share: undefined, done: 4.56e15, unit: 'B' }, 1e6, '4560 TB, 4.6 TB/s'],
    [{ share: 0.25, done: 430_000, unit: 'group' }, 10_000, '25 %, 430,000 groups, 43,000 groups/s, 30 s left'],
    [{ share: 0.0001, done: 1, unit: 'group' }, 1000, '0 %, 1 group, 1 group/s, 2 h 46 min 39 s left'],
    [{ share: undefined, done: 5, unit: 'row' }, 2000, '5 rows, 2.5 rows/s'],
  ])('%j after %d ms', (progress, elapsedMs, text) => {
    expect(formatProgress(progress, elapsedMs).join(', ')).toBe(text);
  });
});

describe('showStatus', () => {
  let written = '';

  beforeEach(() => {
    jest.useFakeTimers();
    written = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  test('a status is shown after a second, then four times a second, and erased at the end', () => {
    let count = 0;
    const stop = showStatus(
      () => [String((count += 1))],
      () => 80,
    );
    jest.advanceTimersByTime(999);
    // A run of less than a second shows nothing.
    expect(written).toBe('');
    jest.advanceTimersByTime(501);
    stop();
    jest.advanceTimersByTime(60_000);
    expect(written.replaceAll('\r\x1b[K', '|')).toBe('|1|2|3|');
  });

  test('a message takes the place of the status, which comes again below it; a status is what fits', () => {
    const stop = showStatus(
      () => ['12 missing', '1,234 sent', '5 late'],
      () => 24,
    );
    jest.advanceTimersByTime(1000);
    say('message');
    jest.advanceTimersByTime(250);
    stop();
    expect(written.replaceAll('\r\x1b[K', '|')).toBe(
      '|12 missing, 1,234 se...|webmail-diaglog: message\n|12 missing, 1,234 se...|',
    );
  });

  test('nothing is shown where stderr is no terminal', () => {
    const stop = showStatus(
      () => ['status'],
      () => undefined,
    );
    jest.advanceTimersByTime(60_000);
    stop();
    expect(written).toBe('');
  });
});

/** An input of 1000 stored bytes, or as many as given, of which some have been read and, unpacked, given. */
const inputOf = (kind: 'plain' | 'gzip' | 'pipe', read: number, given = read, size = 1000) => ({
  stats: { isFile: () => kind !== 'pipe', size },
  isGzip: kind === 'gzip',
  counts: { bytesRead: read, bytesGiven: given },
});

test.each([
  ['a file', [inputOf('plain', 250)], 0.25, 250],
  ['two files', [inputOf('plain', 1000), inputOf('plain', 0)], 0.5, 1000],
  ['gzip', [inputOf('gzip', 100, 2000)], 0.1, 2000],
  ['gzip and a file: gzip counts 30 times', [inputOf('gzip', 500, 4500), inputOf('plain', 0)], 15 / 31, 4500],
  ['gzip that has not been begun', [inputOf('plain', 1000), inputOf('gzip', 0)], 1 / 31, 1000],
  ['a file that grows while it is read', [inputOf('plain', 2000)], 1, 2000],
  ['a pipe', [inputOf('plain', 500), inputOf('pipe', 500)], undefined, 1000],
  ['an empty file', [inputOf('plain', 0, 0, 0)], undefined, 0],
])('measures how far %s is read', (_what, inputs, share, done) => {
  expect(measureRead(inputs)).toEqual({ share, done, unit: 'B' });
});
