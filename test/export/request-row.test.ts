import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTimestamp, formatUtcOffset } from '../../src/log/timestamp.js';
import { formatRequestRow, RequestRowRenderer } from '../../src/export/request-row.js';
import type { LoggedRequest } from '../../src/reading/whole-group.js';

const NOON = Date.UTC(2025, 4, 18, 10) / 1000;

function requestAt(second: number, offset: number, method: string, target: string): LoggedRequest {
  const stamp = { timestamp: formatTimestamp(second, offset), utcOffset: formatUtcOffset(offset) };
  return { line: 1, millisecond: second * 1000, method, target, ...stamp };
}

test('formatRequestRow: time and offset as the log shows them; cells are quoted where they must be', () => {
  expect(formatRequestRow(requestAt(NOON, 7200, 'GET', '/a,"b"'))).toBe('2025-05-18T12:00:00+02:00,GET,"/a,""b"""\n');
});

test('RequestRowRenderer renders the rows of formatRequestRow, whatever rows came before', () => {
  const request = fc
    .tuple(
      fc.integer({ min: NOON, max: NOON + 150 }),
      fc.constantFrom(7200, 7200, -1800),
      fc.constantFrom('GET', 'POST'),
      fc.constantFrom('/', '/mail/', '/\xff', '/a,"b"', '/'.repeat(2000)),
    )
    .map((parts) => requestAt(...parts));
  fc.assert(
    fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
      const renderer = new RequestRowRenderer();
      const rows = requests.map((each) => Buffer.from(renderer.render(each)).toString('latin1'));
      expect(rows).toEqual(requests.map(formatRequestRow));
    }),
  );
});
