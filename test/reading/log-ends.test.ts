import { describe, expect, test } from '@jest/globals';
import { findFirstSecond, sortByFirstSecond } from '../../src/reading/log-ends.js';
import { chunksOf } from '../support/bytes.js';
import { failing } from '../support/logs.js';
import { groupAt, SECOND } from '../support/records.js';

const LINES = groupAt(SECOND).split('\n');
const [FAILURE = ''] = LINES;
const DEPRECATION = LINES[7] ?? '';

describe('findFirstSecond', () => {
  test.each([
    ['a load failure', FAILURE, SECOND],
    [
      'no LF, and lines of other kinds before it',
      `x\n[18-May-2025 09:00:00 +0200]: <8098d78c> IMAP Error: x\n\n${FAILURE}`,
      SECOND,
    ],
    ['a deprecation record, the end of a group that began before the log', `${DEPRECATION}\n`, SECOND],
    [
      'the first of two instants in the repeated hour',
      DEPRECATION.replace('18-May-2025 12', '26-Oct-2025 02'),
      1_761_438_600 - 1800,
    ],
    ['a deprecation record of an unknown zone tells nothing', `${DEPRECATION.replace('Warsaw', 'Atlantis')}\n${FAILURE}`, SECOND],
    ['the first record, not the earliest', `${FAILURE.replace('12:00:00', '12:00:09')}\n${FAILURE}`, SECOND + 9],
    ['a line over 1 MiB before it', `${'x'.repeat(1.2 * (1 << 20))}\n${FAILURE}`, SECOND],
    ['no record', 'x\ny', undefined],
    ['nothing', '', undefined],
  ])('%s', async (_what, log, second) => {
    for (const cuts of [[], [1, 40, 100]]) expect(await findFirstSecond(chunksOf(log, cuts))).toBe(second);
  });

  test('reads no further than it must', async () => {
    expect(await findFirstSecond(failing(`${FAILURE}\n`, new Error('read on')))).toBe(SECOND);
  });
});

test.each<[string, string]>([
  ['a3 b1 c2', 'b1 c2 a3'],
  ['a1 b1 c0', 'c0 a1 b1'],
  ['a3 b c1', 'c1 b a3'],
  ['a b2 c d1', 'a d1 c b2'],
  ['a b', 'a b'],
  ['', ''],
])('sortByFirstSecond: %s are read as %s', (given, sorted) => {
  const files = given.split(' ').filter((file) => file !== '');
  const secondOf = (file: string): number | undefined => (file.length === 1 ? undefined : Number(file.slice(1)));
  expect(sortByFirstSecond(files, secondOf).join(' ')).toBe(sorted);
});
