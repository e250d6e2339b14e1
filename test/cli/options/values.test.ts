import { expect, test } from '@jest/globals';
import { COUNT, DURATION, LINES, NUMBER, SIZE } from '../../../src/cli/options/values.js';
import { refusalOf } from '../../support/parsed-options.js';

test.each<[string, { readonly parse: (key: string, text: string) => number }, Readonly<Record<string, number>>]>([
  [
    'a number',
    NUMBER,
    {
      ...{ '007': 7, '0.5': 0.5, '1e6': 1e6, '2.5E3': 2500, '10k': 1e4, '10K': 1e4 },
      ...{ '5M': 5e6, '2G': 2e9, '1.1k': 1100, '1.0000001G': 1000000100 },
    },
  ],
  ['a count', COUNT, { 0: 0, '10k': 10_000, '1.5k': 1500, forever: Infinity }],
  [
    'a duration in milliseconds',
    DURATION,
    { '1ms': 1, '500ms': 500, '90s': 90_000, '15m': 900_000, '1h': 3.6e6, '7d': 604.8e6, '1.5h': 5.4e6, '0.0015s': 2 },
  ],
  [
    'a size in bytes',
    SIZE,
    {
      ...{ 4096: 4096, '1B': 1, '64KiB': 65_536, '10kB': 1e4, '10KB': 1e4, '10MB': 1e7 },
      ...{ '1.5MiB': 1.5 * 2 ** 20, '2GB': 2e9, '1TiB': 2 ** 40 },
    },
  ],
])('%s', (_what, kind, values) => {
  expect(Object.fromEntries(Object.keys(values).map((text) => [text, kind.parse('key', text)]))).toEqual(values);
});

const NOT_NUMBERS = ' |1,1 |-1|+1|.5|1.|1e|1e-3|1e6k|1kk|10m|10Ki|0x10|1_000|1,000|NaN|0k|1e999';

test.each([
  ['is not a decimal number above 0; give one such as 1, 50 or 0.5', NUMBER, NOT_NUMBERS],
  ['is not a whole number from 0 on; give one such as 1000, or forever', COUNT, '1.5|1.2345k|1e16|9007199254740992'],
  ['is not a number of lines; give a whole number from 0 on', LINES, 'forever|1.5'],
  [
    'is not a duration; give one such as 500ms, 90s, 15m, 1h or 7d',
    DURATION,
    '|5|0s|0.4ms|-1s|1 s|1S|1M|1w|1h30m|PT1H|1e3s|s|999999999999d|1toString',
  ],
  // 10M is 10 MB to some programs and 10 MiB to others.
  ['is not a size; give one such as 64KiB, 10MB or 2GB', SIZE, '|0|0.4B|-1|10M|10k|1 MB|1mb|1Mib|1e6|99999TiB|1constructor'],
])('%s', (message, kind, texts) => {
  for (const text of texts.split('|')) expect(refusalOf(() => kind.parse('key', text))).toBe(`--key: "${text}" ${message}`);
});
