import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rowFormatter, LIST_HEADER } from '../../../src/requests/list/format-row.js';
import { readRequestList } from '../../../src/requests/list/read-list.js';
import { request, ZONES } from '../../support/arbitraries.js';
import { chunksOf, outcomeOf } from '../../support/bytes.js';

describe('rowFormatter', () => {
  test.each([
    ['Europe/Warsaw', 1_747_562_400_250, '/mail/', '2025-05-18T12:00:00.250+02:00,GET,/mail/\n'],
    ['America/St_Johns', 1_747_562_400_000, '/a,b', '2025-05-18T07:30:00.000-02:30,GET,"/a,b"\n'],
    ['UTC', 7, '/"', '1970-01-01T00:00:00.007+00:00,GET,"/"""\n'],
    // Liberia's offset was -00:44:30 then; a list shows whole minutes, and the same instant.
    ['Africa/Monrovia', 0, '/', '1969-12-31T23:16:00.000-00:44,GET,/\n'],
  ])('%s %i', (timezone, time, target, row) => {
    expect(rowFormatter(timezone)({ millisecond: time, method: 'GET', target })).toBe(row);
  });

  test('a list that is read back holds the same requests, to the millisecond', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request), fc.constantFrom(...ZONES), async (requests, timezone) => {
        const format = rowFormatter(timezone);
        const list = chunksOf(LIST_HEADER + requests.map(format).join(''));
        const { items } = await outcomeOf(readRequestList(list, { timezone }));
        expect(items).toEqual(requests.map((request, index) => ({ ...request, line: index + 2 })));
      }),
    );
  });
});
