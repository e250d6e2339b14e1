import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTimestamp, formatUtcOffset } from '../../src/log/timestamp.js';
import { RequestRowRenderer } from '../../src/export/request-row.js';

const NOON = Date.UTC(2025, 4, 18, 10) / 1000;

test('a row has time and offset as the log shows them, cells are quoted where they must be, whatever rows came before', () => {
  const row = fc
    .tuple(
      fc.integer({ min: NOON, max: NOON + 150 }),
      fc.constantFrom([7200, '+02:00'] as const, [7200, '+02:00'] as const, [-1800, '-00:30'] as const),
      fc.constantFrom('GET', 'POST'),
      fc.constantFrom('/', '/mail/', '/\xff', '/a,"b"', '/'.repeat(2000)),
    )
    .map(([second, [offset, shown], method, target]) => {
      const iso = new Date((second + offset) * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
      const stamp = { timestamp: formatTimestamp(second, offset), utcOffset: formatUtcOffset(offset) };
      const text = `${iso}${shown},${method},${target === '/a,"b"' ? '"/a,""b"""' : target}\n`;
      return { text, request: { line: 1, millisecond: second * 1000, method, target, ...stamp } };
    });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const renderer = new RequestRowRenderer();
      const rendered = rows.map(({ request }) => Buffer.from(renderer.render(request)).toString('latin1'));
      expect(rendered).toEqual(rows.map(({ text }) => text));
    }),
  );
});
