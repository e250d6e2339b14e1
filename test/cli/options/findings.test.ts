import { describe, expect, test } from '@jest/globals';
import { allowParser, parseMax } from '../../../src/cli/options/findings.js';

const KINDS = ['missing', 'foreign'] as const;
const parseAllowed = allowParser(KINDS, 'kind');

describe('--allow', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['foreign'], ['foreign']],
    [[' foreign ,missing'], ['foreign', 'missing']],
    [
      ['foreign', 'missing,foreign'],
      ['foreign', 'missing'],
    ],
  ])('%j', (lists, kinds) => {
    let allowed: ReturnType<typeof parseAllowed> | undefined;
    for (const list of lists) allowed = parseAllowed('--allow', list, allowed);
    expect(Array.from(allowed ?? [])).toEqual(kinds);
  });

  test.each([
    ['late', 'late'],
    ['Foreign', 'Foreign'],
    ['foreign,', ''],
    ['\x1b', '\\x1b'],
  ])('%j is refused', (list, shown) => {
    const message = `--allow: "${shown}" is not a kind; the kinds are missing, foreign`;
    expect(() => parseAllowed('--allow', list)).toThrow(message);
  });
});

describe('--max', () => {
  test.each([
    ['0', 0],
    ['100', 100],
    ['10k', 10_000],
    ['1e3', 1000],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('%s', (text, max) => {
    expect(parseMax('--max', text)).toBe(max);
  });

  test.each(['', ' 1', '-1', '1.5', '1e', '9007199254740992'])('%j is refused', (text) => {
    expect(() => parseMax('--max', text)).toThrow(`--max: "${text}" is not a number of lines; give a whole number from 0 on`);
  });
});
