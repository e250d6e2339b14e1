import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord, type LogRecord } from '../../src/log/line.js';
import type { LoggedRecord } from '../../src/reading/logged-record.js';
import { OpenGroup } from '../../src/reading/open-group.js';
import { readLog } from '../../src/reading/read-log.js';
import { LineSink, RecordSink } from '../../src/reading/record-sink.js';
import { collect } from '../support/bytes.js';
import { DEPRECATION, FAILURE } from '../support/records.js';

/** The second of the records in `support/records.ts`. */
const NOON = 1_747_562_400;
const AUTUMN = Date.UTC(2025, 9, 26, 0, 30) / 1000;

function recordOf(line: string): LogRecord {
  const record = parseRecord(line);
  if (record === undefined) throw new Error(`no record: ${line}`);
  return record;
}

const failure = recordOf(FAILURE);
const deprecation = recordOf(DEPRECATION);
/** The deprecation record of a time that clocks show twice. */
const repeated = recordOf(DEPRECATION.replace('18-May-2025 12:00', '26-Oct-2025 02:30'));

/** A group that begins at a line. */
const groupAt = (line: number, second = NOON): OpenGroup => new OpenGroup({ record: failure, line, place: 0 }, second);

/** Settles a group, as one that is whole where it is given to the sink, too. */
function settle(group: OpenGroup, sink?: RecordSink | LineSink): void {
  group.isSettled = true;
  sink?.addGroup(group);
}

describe('RecordSink', () => {
  test('holds records back from the first on whose group is open, and gives each once, with the number of its group', () => {
    const sink = new RecordSink();
    const [one, other] = [groupAt(1), groupAt(2)];
    sink.addRecord({ record: failure, line: 1, text: 'f1' }, one);
    sink.addRecord({ record: failure, line: 2, text: 'f2' }, other);
    sink.addRecord({ record: deprecation, line: 3, text: 'd1' }, one);
    expect(sink.drain()).toEqual([]);
    settle(one, sink);
    expect(sink.drain()).toEqual([{ record: failure, line: 1, text: 'f1', group: 1, second: NOON }]);
    expect(sink.drain()).toEqual([]);
    settle(other, sink);
    expect(sink.drain()).toEqual([
      { record: failure, line: 2, text: 'f2', group: 2, second: NOON },
      { record: deprecation, line: 3, text: 'd1', group: 1, second: NOON },
    ]);
    expect(sink.drain()).toEqual([]);
  });

  test('holds a deprecation record back while it has no group', () => {
    const sink = new RecordSink();
    const pending: { group: OpenGroup | undefined } = { group: undefined };
    sink.addRecord({ record: deprecation, line: 1, text: 'd' }, pending);
    expect(sink.drain()).toEqual([]);
    pending.group = groupAt(1);
    settle(pending.group);
    expect(sink.drain()).toMatchObject([{ text: 'd', group: undefined }]);
  });

  test('a load failure has its own second, the deprecation record of a whole group that of the group', () => {
    const sink = new RecordSink();
    const group = groupAt(1, NOON - 1);
    sink.addRecord({ record: failure, line: 1, text: '' }, group);
    sink.addRecord({ record: deprecation, line: 2, text: '' }, group);
    settle(group, sink);
    expect(sink.drain().map(({ second }) => second)).toEqual([NOON, NOON - 1]);
  });

  test.each([
    ['a load failure', failure, NOON],
    ['a deprecation record', deprecation, NOON],
    ['a deprecation record of a time that clocks show twice', repeated, AUTUMN],
    ['a deprecation record of an unknown zone', recordOf(DEPRECATION.replace('Europe', 'Mars')), undefined],
  ])('in an incomplete group %s has the second that it shows', (_what, record, second) => {
    const sink = new RecordSink();
    const group = groupAt(1, NOON - 1);
    sink.addRecord({ record, line: 7, text: 'x' }, group);
    settle(group);
    expect(sink.drain()).toEqual([{ record, line: 7, text: 'x', group: undefined, second }]);
  });

  const SITE = createDeployment({ plugins: ['a', 'b'] });
  const groupFor = (target: string): string => formatGroup({ millisecond: NOON * 1000, method: 'GET', target }, SITE);
  /** The groups behind this one are matched whole. */
  const FIRST = groupFor('/first').repeat(171);

  test('gives what is made of a whole group instead of its records, in the order of lines', async () => {
    const log = `${FIRST}${groupFor('/1')}x\n${groupFor('/2')}${groupFor('/3')}`;
    const numbers: number[] = [];
    const sink = new RecordSink<never, { readonly target: string; readonly line: number }>(({ target, line }, number) => {
      numbers.push(number);
      return target === '/1' || target === '/3' ? { target, line } : undefined;
    });
    const given = (await collect(readLog([Buffer.from(log)], sink))).flat().slice(-5);
    expect(numbers.slice(-3)).toEqual([172, 173, 174]);
    expect(given.map((line) => ('record' in line ? [line.line, line.group, line.text] : line))).toEqual([
      { target: '/1', line: 514 },
      ...groupFor('/2')
        .split('\n')
        .slice(0, 3)
        .map((text, index) => [518 + index, 173, text]),
      { target: '/3', line: 521 },
    ]);
  });

  test('the records of a whole group follow those before it, with line, text, group and second', async () => {
    const [first = '', second = ''] = groupFor('/cut').split(/(?<=\n)/);
    const late = groupFor('/late').replaceAll('12:00:00', '12:00:09');
    const log = `${FIRST}${first}${second}${late.repeat(3)}`;
    const sink = new RecordSink();
    const given: LoggedRecord[] = (await collect(readLog([Buffer.from(log)], sink))).flat();
    expect(given.map(({ text }) => `${text}\n`).join('')).toBe(log);
    expect(given.map(({ line }) => line)).toEqual(given.map((_, index) => index + 1));
    expect(given.map(({ record }) => record)).toEqual(given.map(({ text }) => recordOf(text)));
    expect(given.slice(-11).map(({ group, second: at }) => [group, at])).toEqual([
      ...Array.from({ length: 2 }, () => [undefined, NOON]),
      ...[172, 172, 172, 173, 173, 173, 174, 174, 174].map((group) => [group, NOON + 9]),
    ]);
  });
});

describe('LineSink', () => {
  test('a foreign line waits for the records before it', () => {
    const sink = new LineSink();
    sink.addForeign({ line: 1, text: 'a' });
    expect(sink.drain()).toEqual([{ line: 1, text: 'a', second: undefined }]);
    const group = groupAt(2);
    sink.addRecord({ record: failure, line: 2, text: 'f' }, group);
    sink.addForeign({ line: 3, text: 'b' });
    expect(sink.drain()).toEqual([]);
    settle(group, sink);
    expect(sink.drain().map(({ text }) => text)).toEqual(['f', 'b']);
    expect(sink.drain()).toEqual([]);
  });

  test('UTC is known beside the first zone of a log, and does not count as that', () => {
    const sink = new LineSink();
    const stamps = ['10:00:00 UTC', '12:00:00 Europe/Warsaw', '10:00:00 UTC', '11:00:00 Europe/London', '12:00:00 Europe/Warsaw'];
    for (const [line, stamp] of stamps.entries()) sink.addForeign({ line, text: `[18-May-2025 ${stamp}] PHP` });
    expect(sink.drain().map(({ second }) => second)).toEqual([NOON, NOON, NOON, undefined, NOON]);
  });

  test.each([
    ['an offset', '[18-May-2025 12:00:00 +0200]: <8098d78c> IMAP Error', NOON],
    ['an offset to the west', '[18-May-2025 06:30:00 -0330]: x', NOON],
    ['a zone', '[18-May-2025 12:00:00 Europe/Warsaw] PHP Fatal error', NOON],
    ['a zone, at a time that clocks show twice', '[26-Oct-2025 02:30:00 Europe/Warsaw] PHP', AUTUMN],
    ['UTC', '[18-May-2025 10:00:00 UTC] PHP', NOON],
    ['an unknown zone', '[18-May-2025 12:00:00 Mars/Olympus] PHP', undefined],
    ['no end', '[18-May-2025 10:00:00 UTC+', undefined],
    ['no bracket', ' 18-May-2025 12:00:00 +0200]: x', undefined],
    ['no blank', '[18-May-2025 12:00:00_+0200]: x', undefined],
    ['a day that does not exist', '[30-Feb-2025 12:00:00 +0200]: x', undefined],
    ['a day that does not exist, and a zone', '[30-Feb-2025 12:00:00 UTC] x', undefined],
    ['nothing', '', undefined],
  ])('a foreign line has the second of the stamp that it begins with: %s', (_what, text, second) => {
    const sink = new LineSink();
    sink.addForeign({ line: 7, text });
    expect(sink.drain()).toEqual([{ line: 7, text, second }]);
  });
});
