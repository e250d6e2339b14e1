import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLog } from '../../src/check/check-log.js';
import { JSON_REPORT, TEXT_REPORT } from '../../src/check/report.js';
import { DataError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { LogFiles, logFilesOf } from '../../src/reading/log-files.js';
import { readLoggedLines, readLoggedRecords, readLoggedRequests } from '../../src/reading/parse.js';
import { request } from '../support/arbitraries.js';
import { chunksOf, collect } from '../support/bytes.js';
import { groupAt, SECOND } from '../support/records.js';

const SITE = createDeployment();

/** Files named `1`, `2`, … in the order in which they are read. */
function filesOf(...logs: readonly string[]): LogFiles {
  return new LogFiles(logs.map((log, index) => ({ source: String(index + 1), chunks: chunksOf(log) })));
}

/** A file whose bytes end in an error. */
function brokenFile(log: string, error: Error): { source: string; chunks: AsyncIterable<Uint8Array> } {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunksOf(log);
    throw error;
  };
  return { source: 'broken', chunks: chunks() };
}

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
        expect(records).toEqual((await collect(readLoggedRecords(chunksOf(whole)))).flat());
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
      brokenFile(`${lines.slice(0, 4).join('\n')}\nhalf a line`, error),
      { source: '3', chunks: chunksOf(groupAt(SECOND + 2)) },
    ]);
    const read: number[] = [];
    const incomplete: number[] = [];
    const reading = readLoggedRequests(log, { onEnd: (rest) => incomplete.push(...rest.incomplete.lines) });
    await expect(
      (async () => {
        for await (const batch of reading) read.push(...batch.map(({ line }) => line));
      })(),
    ).rejects.toBe(error);
    expect({ read, incomplete }).toEqual({ read: [1], incomplete: [9] });
  });

  test('an error of another kind is thrown at once', async () => {
    const files = new LogFiles([brokenFile(groupAt(SECOND), new Error('gone'))]);
    await expect(collect(readLoggedRequests(files))).rejects.toThrow('gone');
  });

  test('nothing is given of a log that is broken from its beginning on', async () => {
    const files = new LogFiles([brokenFile('', new DataError({ source: 'x' }, 'it is zstd-compressed', 'unpack it'))]);
    await expect(readLoggedRequests(files).next()).rejects.toThrow(DataError);
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

describe('check of several files', () => {
  const check = async (...logs: readonly string[]): Promise<{ text: string[]; json: unknown[] }> => {
    const files = filesOf(...logs);
    const violations = (await collect(checkLog(files, SITE))).flat();
    return {
      text: violations.map((violation) => TEXT_REPORT.formatViolation(violation, files).trimEnd()),
      json: violations.map((violation): unknown => JSON.parse(JSON_REPORT.formatViolation(violation, files))),
    };
  };

  test('1.3 the last line of each file ends in LF', async () => {
    expect((await check(groupAt(SECOND).slice(0, -1), groupAt(SECOND + 1))).text).toEqual([
      '1:8: ending: no LF at the end of the log; expected an LF after each record',
    ]);
  });

  test('a violation that names another line names its file, if that is another one', async () => {
    const { text, json } = await check(groupAt(SECOND + 5), groupAt(SECOND + 3) + groupAt(SECOND + 2));
    expect(text).toEqual([
      '2:1: backwards: 18-May-2025 12:00:03 +0200; expected none earlier than 18-May-2025 12:00:05 +0200 of the group above, line 1 of 1',
      '2:9: backwards: 18-May-2025 12:00:02 +0200; expected none earlier than 18-May-2025 12:00:03 +0200 of the group above, line 1',
    ]);
    expect(json).toMatchObject([
      { source: '2', line: 1, rule: 'backwards', group_source: '1', group_line: 1 },
      { source: '2', line: 9, rule: 'backwards', group_source: '2', group_line: 1 },
    ]);
  });

  test.each([
    [
      'timestamp',
      ':00 Europe',
      ':01 Europe',
      '2:5: timestamp: 18-May-2025 12:00:01; expected 18-May-2025 12:00:00 of the group of line 1 of 1',
    ],
    [
      'descriptor',
      'sieverules.php in (.*) \\(GET /mail/\\)',
      'sieverules.php in $1 (GET /a/)',
      '2:4: descriptor: "GET /a/"; expected "GET /mail/" of the group of line 1 of 1',
    ],
  ])('6 a group that a rotation cuts breaks no other rule than %s', async (_rule, from, to, text) => {
    const lines = linesIn(groupAt(SECOND).replace(new RegExp(from), to));
    expect((await check(`${lines.slice(0, 3).join('\n')}\n`, `${lines.slice(3).join('\n')}\n`)).text).toEqual([text]);
  });

  test('6 a group that begins in the next file before this one has ended', async () => {
    const [one, other] = [linesIn(groupAt(SECOND)), linesIn(groupAt(SECOND, '/poczta/'))];
    const { text } = await check(
      `${one.slice(0, 7).join('\n')}\n`,
      `${other.slice(0, 7).join('\n')}\n${one[7] ?? ''}\n${other[7] ?? ''}\n`,
    );
    expect(text).toEqual([
      '2:1: interleaved: a group begins before the group of line 1 of 1 has ended; expected one group after the other',
    ]);
  });
});

describe('readLoggedLines', () => {
  test.each([
    ['[18-May-2025 12:00:00 +0200]: <8098d78c> IMAP Error: x', 1_747_562_400],
    ['[18-May-2025 12:00:00 Europe/Warsaw] PHP Warning:  x', 1_747_562_400],
    ['[18-May-2025 10:00:00 UTC] PHP Warning:  PHP Request Startup: x', 1_747_562_400],
    ['[18-May-2025 12:00:00 Mars/Olympus] PHP Warning:  x', undefined],
    ['[18-May-2025 12:00:00 Europe/Warsaw', undefined],
    ['[31-Feb-2025 12:00:00 +0200]: x', undefined],
    ['#0 {main}', undefined],
    ['', undefined],
  ])('the second of %j is %p', async (text, second) => {
    const [line] = (await collect(readLoggedLines(chunksOf(`${text}\n`)))).flat();
    expect(line).toEqual({ line: 1, text, second });
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
