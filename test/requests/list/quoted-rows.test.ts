import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readRequestList } from '../../../src/requests/list/read-list.js';
import { chunksOf } from '../../support/bytes.js';
import { BAD_ROWS } from '../../support/bad-rows.js';

/** What a list gives, errors included, one after the other. */
async function read(list: string, stop: boolean): Promise<unknown[]> {
  const events: unknown[] = [];
  const onBadRow = (error: Error): void => void events.push(error.message);
  try {
    const options = { timezone: 'Europe/Warsaw', ...(!stop && { onBadRow }) };
    for await (const batch of readRequestList(chunksOf(list), options)) events.push(...batch);
  } catch (error) {
    events.push(error instanceof Error ? error.message : error);
  }
  return events;
}

/** A quote sends the whole block to fast-csv, that of a comment too. */
const NOT_PLAIN = '# "no row"\n';

/** Both lanes on the same list give the same requests and the same errors, at the same lines. */
async function expectSame(list: string): Promise<void> {
  for (const stop of [true, false]) {
    expect(await read(`${list}\n`, stop)).toEqual(await read(`${list}\n${NOT_PLAIN}`, stop));
  }
}

describe('the plain lane gives what fast-csv gives', () => {
  test.each(BAD_ROWS)('for %s', async (_what, row) => {
    await expectSame(`1747562400,/mail/\n${row}\n1747562400,/x`);
    await expectSame(`timestamp,http_method,target\n1747562400,,/mail/\n${row}\n1747562400,GET,/x`);
  });

  test.each([...BAD_ROWS, ['a method that is none', '1747562400,G T,/a', '']])(
    'for %s behind a timestamp in ISO 8601',
    async (_what, row) => {
      const time = '2025-05-18T12:00:00.250+02:00';
      const bad = row.replace('1747562400', time);
      await expectSame(`${time},/mail/\n${bad}\n${time},/x`);
      await expectSame(`timestamp,http_method,target\n${time},,/mail/\n${bad}\n${time},GET,/x\n${time},POST,/x`);
      await expectSame(`target,method,timestamp\n/mail/,HEAD,${time}\n/b,,${time}`);
    },
  );

  test('for any list of plain cells', async () => {
    const cell = fc.oneof(
      fc.constantFrom(
        '1747562400',
        '2025-05-18T12:00:00',
        '2025-10-26T02:30:00',
        '/mail/',
        '/x',
        'GET',
        '',
        ' ',
        '\t',
        'timestamp',
        'target',
      ),
      fc.array(fc.constantFrom('/', 'a', ' ', '\xa0', '\x0b', '\0', '\xff'), { maxLength: 4 }).map((parts) => parts.join('')),
    );
    const row = fc.oneof(
      fc.constantFrom('1747562400,/mail/', '1747562400,POST,/x', '2025-10-26T02:30:00,/a'),
      fc.array(cell, { maxLength: 4 }).map((cells) => cells.join(',')),
    );
    const header = fc.constantFrom(
      '',
      'timestamp,target\n',
      'x,Target,METHOD,timestamp\n',
      'timestamp,x\n',
      '\xef\xbb\xbftimestamp,request_target\n',
    );
    await fc.assert(
      fc.asyncProperty(header, fc.array(row, { maxLength: 12 }), async (first, rows) => {
        await expectSame(first + rows.join('\n'));
      }),
      { numRuns: 60 },
    );
  });
});
