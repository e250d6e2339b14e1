import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DataError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { LogFiles, logFilesOf } from '../../src/reading/log-files.js';
import { readLoggedLines, readLoggedRecords, readLoggedRequests } from '../../src/reading/parse.js';
import { request } from '../support/arbitraries.js';
import { chunksOf, collect, outcomeOf } from '../support/bytes.js';
import { failing, filesOf, recordsIn } from '../support/logs.js';
import { groupAt, SECOND } from '../support/records.js';

const SITE = createDeployment();

const linesIn = (text: string): string[] => text.split('\n').slice(0, -1);

describe('LogFiles', () => {
  test('a log gives the same records wherever it is cut into files, each at its place', async () => {
    const log = fc.array(request, { maxLength: 6 }).map((list) => list.map((one) => formatGroup(one, SITE)).join(''));
    await fc.assert(
      fc.asyncProperty(log, fc.array(fc.nat(60), { maxLength: 4 }), async (whole, cuts) => {
        const lines = linesIn(whole);
        const ends = [...cuts.map((cut) => Math.min(cut, lines.length)).sort((one, other) => one - other), lines.length];
        const parts = ends.map((end, index) => lines.slice(ends[index - 1] ?? 0, end));
        // The last line of a file ends there, with an LF or without one.
        const files = filesOf(...parts.map((part, index) => part.join('\n') + (index % 2 === 0 && part.length > 0 ? '\n' : '')));
        const records = (await collect(readLoggedRecords(files))).flat();
        expect(records).toEqual(await recordsIn(whole));
        for (const { line, text } of records) {
          const place = files.placeOf(line);
          expect(parts[Number(place.source) - 1]?.[place.line - 1]).toBe(text);
        }
      }),
    );
  });

  test('a group goes on from one file to the next', async () => {
    const lines = linesIn(groupAt(SECOND));
    const files = filesOf(`${lines.slice(0, 3).join('\n')}\n`, '', `${lines.slice(3).join('\n')}\n${groupAt(SECOND + 1)}`);
    expect((await collect(readLoggedRequests(files))).flat().map(({ line }) => files.placeOf(line))).toEqual([
      { source: '1', line: 1 },
      { source: '3', line: 6 },
    ]);
  });

  test('a file that ends in half a record ends a line: the record behind it is whole', async () => {
    const files = filesOf(`${groupAt(SECOND)}[18-May-2025 12:0`, groupAt(SECOND + 1));
    const foreign: number[] = [];
    const requests = await collect(readLoggedRequests(files, { onForeign: (line) => foreign.push(line) }));
    expect(requests.flat()).toHaveLength(2);
    expect(foreign.map(files.placeOf)).toEqual([{ source: '1', line: 9 }]);
  });

  test('a DataError of a file ends the log: all before it is read, then the error is thrown', async () => {
    const error = new DataError({ source: 'broken' }, 'its gzip ends early', 'copy the file again');
    const lines = linesIn(groupAt(SECOND + 1));
    const log = new LogFiles([
      { source: '1', chunks: chunksOf(groupAt(SECOND)) },
      { source: 'broken', chunks: failing(`${lines.slice(0, 4).join('\n')}\nhalf a line`, error) },
      { source: '3', chunks: chunksOf(groupAt(SECOND + 2)) },
    ]);
    const incomplete: number[] = [];
    const reading = readLoggedRequests(log, { onEnd: (rest) => incomplete.push(...rest.incomplete.lines) });
    expect(await outcomeOf(reading)).toMatchObject({ items: [{ line: 1 }], error });
    expect(incomplete).toEqual([9]);
  });

  test('an error of another kind is thrown at once', async () => {
    const error = new Error('gone');
    const files = new LogFiles([{ source: 'x', chunks: failing(groupAt(SECOND), error) }]);
    expect(await outcomeOf(readLoggedRequests(files))).toEqual({ items: [], error });
  });

  test('nothing is given of a log that is broken from its beginning on', async () => {
    const error = new DataError({ source: 'x' }, 'it is zstd-compressed', 'unpack it');
    await expect(readLoggedRequests(new LogFiles([{ source: 'x', chunks: failing('', error) }])).next()).rejects.toBe(error);
  });
});

describe('the log of a call', () => {
  test('is its bytes, named <log>, or its files', async () => {
    const files = filesOf('a\n');
    expect(logFilesOf(files)).toBe(files);
    const log = logFilesOf(chunksOf('a\n'));
    expect(log.sources).toEqual(['<log>']);
    expect(await collect(log.readBlocks(() => 0))).toMatchObject([{ bytes: Buffer.from('a\n') }]);
  });

  test('a line before all that has been read is in no file', () => {
    expect(filesOf('a\n').placeOf(3)).toEqual({ source: '', line: 3 });
  });
});

describe('readLoggedLines', () => {
  test.each([
    ['[18-May-2025 12:00:00 +0200]: <8098d78c> IMAP Error: x', 1_747_562_400],
    ['[18-May-2025 12:00:00 Europe/Warsaw] PHP Warning:  x', 1_747_562_400],
    ['[18-May-2025 10:00:00 UTC] PHP Warning:  PHP Request Startup: x', 1_747_562_400],
    ['[18-May-2025 12:00:00 Mars/Olympus] PHP Warning:  x', undefined],
    ['[18-May-2025 12:00:00 +02:00] PHP Warning:  x', undefined],
    ['[30-Mar-2025 02:30:00 Europe/Warsaw] PHP Warning:  x', undefined],
    ['[18-May-2025 12:00:00 Europe/Warsaw', undefined],
    ['[31-Feb-2025 12:00:00 +0200]: x', undefined],
    ['#0 {main}', undefined],
    ['', undefined],
  ])('the second of %j is %p', async (text, second) => {
    const [line] = (await collect(readLoggedLines(chunksOf(`${text}\n`)))).flat();
    expect(line).toEqual({ line: 1, text, second });
  });

  const unknown = Array.from({ length: 100 }, (_, index) => `Mars/${String(index)}`);
  test.each([
    ['its first known zone, and no other', ['Europe/Warsaw', 'Asia/Kolkata', 'Europe/Warsaw'], [SECOND, undefined, SECOND]],
    ['a zone behind unknown names', [...unknown.slice(1), 'Europe/Warsaw'], [...Array<undefined>(99).fill(undefined), SECOND]],
    ['none behind too many of them', [...unknown, 'Europe/Warsaw'], Array<undefined>(101).fill(undefined)],
  ])('a log has %s', async (_what, zones, seconds) => {
    const log = zones.map((zone) => `[18-May-2025 12:00:00 ${zone}] PHP Warning:  x\n`).join('');
    const lines = (await collect(readLoggedLines(chunksOf(log)))).flat();
    expect(lines.map(({ second }) => second)).toEqual(seconds);
  });

  test.each([
    ['without LF', '', []],
    ['in one chunk', '\n', []],
    ['in two chunks', '\n', [1 << 18]],
    ['in two chunks, the first a short one', '\n', [1000]],
    ['in a chunk with others', '\nx\n', []],
  ])('of a line over 1 MiB its beginning is given: %s', async (_what, end, cuts) => {
    const [line] = (await collect(readLoggedLines(chunksOf(`${'x'.repeat(1.2 * (1 << 20))}${end}`, cuts)))).flat();
    expect(line?.text.length).toBe(4096);
  });
});
