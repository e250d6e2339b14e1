import { expect, test } from '@jest/globals';
import { measureRead } from '../../src/cli/inputs.js';

/** An input of 1000 stored bytes, of which some have been read and, unpacked, given. */
const inputOf = (kind: 'plain' | 'gzip' | 'pipe', read: number, given = read): Parameters<typeof measureRead>[0][number] => ({
  stats: { isFile: () => kind !== 'pipe', size: 1000 },
  isGzip: kind === 'gzip',
  counts: { bytesRead: read, bytesGiven: given },
});

test.each([
  ['a file', [inputOf('plain', 250)], 0.25, 250],
  ['two files', [inputOf('plain', 1000), inputOf('plain', 0)], 0.5, 1000],
  ['gzip', [inputOf('gzip', 100, 2000)], 0.1, 2000],
  ['gzip and files: the gzip to come is as dense as that before', [inputOf('gzip', 500, 4500), inputOf('plain', 0)], 0.45, 4500],
  ['gzip that has not been begun', [inputOf('plain', 1000), inputOf('gzip', 0)], 1 / 31, 1000],
  ['a file that grows while it is read', [inputOf('plain', 2000)], 1, 2000],
  ['a pipe', [inputOf('plain', 500), inputOf('pipe', 500)], undefined, 1000],
])('measures how far %s is read', (_what, inputs, share, done) => {
  expect(measureRead(inputs)).toEqual({ share, done, unit: 'B' });
});

test('an empty file has no share', () => {
  expect(measureRead([{ ...inputOf('plain', 0), stats: { isFile: () => true, size: 0 } }]).share).toBeUndefined();
});
