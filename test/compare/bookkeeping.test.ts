import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { arrivalKeys } from '../../src/compare/arrival-keys.js';
import { Arrivals } from '../../src/compare/arrivals.js';
import type { Comparison } from '../../src/compare/compare-options.js';
import { DeprecationCounter } from '../../src/compare/deprecation-counter.js';
import { digestBytes, type Digest } from '../../src/compare/digest.js';
import { DigestIndex } from '../../src/compare/digest-index.js';
import { equalLines } from '../../src/compare/equal-stretch.js';
import { countLostGroups } from '../../src/compare/group-losses.js';
import { LineNumbers } from '../../src/compare/line-numbers.js';
import { LostLines, type LineRange } from '../../src/compare/lost-lines.js';
import type { FieldName } from '../../src/compare/record-fields.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { chunksOf } from '../support/bytes.js';

const SITE = createDeployment();

/** The eight lines of a group, a second after another for each number; each ends in LF. */
function groupLines(number: number): string[] {
  const millisecond = Date.UTC(2025, 4, 18) + number * 1000;
  return formatGroup({ millisecond, method: 'GET', target: `/mail/?r=${String(number)}` }, SITE).split(/(?<=\n)/);
}

const digestOf = (bytes: Buffer, start = 0, end = bytes.length): Digest => {
  const digest = { low: 0, high: 0 };
  digestBytes(bytes, start, end, digest);
  return digest;
};

describe('digestBytes', () => {
  test('a record has one digest, wherever it stands', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (before, record, behind) => {
        const all = Buffer.concat([before, record, behind]);
        expect(digestOf(all, before.length, before.length + record.length)).toEqual(digestOf(Buffer.from(record)));
      }),
    );
  });

  test.each(['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'a record of some length'])(
    'each bit of %p, and each NUL behind it, changes about half of the bits of the digest',
    (text) => {
      const record = Buffer.from(text);
      const { low, high } = digestOf(record);
      const changed = (other: Buffer): number => {
        const digest = digestOf(other);
        return bitsOf(digest.low ^ low) + bitsOf(digest.high ^ high);
      };
      const flipped = Array.from({ length: 8 * record.length }, (_, bit) => {
        const other = Buffer.from(record);
        other[bit >>> 3] = (other[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
        return changed(other);
      });
      const longer = [1, 2, 3, 4, 5].map((count) => changed(Buffer.concat([record, Buffer.alloc(count)])));
      const counts = [...flipped, ...longer];
      expect(Math.min(...counts)).toBeGreaterThan(14);
      expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeGreaterThan(28);
    },
  );

  test.each([
    { text: '', low: 890_280_772, high: -2_139_263_836 },
    { text: 'a', low: 1_445_601_085, high: -1_908_219_806 },
    { text: 'abcd', low: -1_616_388_934, high: 1_997_189_811 },
    { text: 'a record of some length', low: 1_774_410_326, high: 879_413_957 },
  ])('the digest of %j is as it was: another mixing of bytes would have to be judged anew', ({ text, low, high }) => {
    expect(digestOf(Buffer.from(text))).toEqual({ low, high });
  });

  const bitsOf = (value: number): number => (value >>> 0).toString(2).replaceAll('0', '').length;
});

describe('DigestIndex', () => {
  const SLOTS = 8;
  /** Two in one bucket with equal lower halves, another one in that bucket, and one in another bucket. */
  const DIGESTS: readonly Digest[] = [
    { low: 3, high: 1 },
    { low: 3, high: 2 },
    { low: 3 + SLOTS, high: 1 },
    { low: 4, high: 1 },
  ];

  test('finds the slots of a digest in the order in which they were linked', () => {
    const operations = fc.array(fc.tuple(fc.nat(SLOTS - 1), fc.nat(DIGESTS.length - 1)), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(operations, (list) => {
        const index = new DigestIndex(SLOTS);
        /** The slots in use, in the order in which they were linked. */
        const linked = new Map<number, Digest>();
        const found: string[] = [];
        const expected: string[] = [];
        for (const [slot, choice] of list) {
          const digest = DIGESTS[choice] ?? { low: 0, high: 0 };
          if (linked.delete(slot)) {
            index.unlink(slot);
          } else {
            index.link(slot, digest);
            linked.set(slot, digest);
          }
          for (const wanted of DIGESTS) {
            found.push(slotsOf(index, wanted).join());
            expected.push(
              Array.from(linked)
                .flatMap(([other, held]) => (held === wanted ? [other] : []))
                .join(),
            );
          }
        }
        expect(found).toEqual(expected);
      }),
    );
  });

  function slotsOf(index: DigestIndex, digest: Digest): number[] {
    const slots: number[] = [];
    for (let slot = index.find(digest); slot !== -1; slot = index.findNext(slot, digest)) slots.push(slot);
    return slots;
  }

  test('tells which digest a slot holds', () => {
    const index = new DigestIndex(SLOTS);
    index.link(5, { low: 70, high: 80 });
    const digest = { low: 0, high: 0 };
    index.read(5, digest);
    expect(digest).toEqual({ low: 70, high: 80 });
    expect([
      index.holds(5, { low: 70, high: 80 }),
      index.holds(5, { low: 70, high: 81 }),
      index.holds(5, { low: 71, high: 80 }),
      index.holds(4, { low: 70, high: 80 }),
    ]).toEqual([true, false, false, false]);
  });
});

describe('equalLines', () => {
  const LINES = 'some line\n'.repeat(2000);

  test.each([
    { what: 'nothing', first: '', second: '', equal: 0 },
    { what: 'unlike beginnings', first: 'a\n', second: 'b\n', equal: 0 },
    { what: 'equal lines', first: 'a\nbc\n', second: 'a\nbc\n', equal: 5 },
    { what: 'a line that differs in its last byte', first: 'a\nbcd\ne\n', second: 'a\nbcx\ne\n', equal: 2 },
    { what: 'a line that differs in its first byte', first: 'a\nbcd\n', second: 'a\nxcd\n', equal: 2 },
    { what: 'an equal line that is longer in the other', first: 'a\nbc\n', second: 'a\nbcd\n', equal: 2 },
    { what: 'no whole line', first: 'abc', second: 'abc', equal: 0 },
  ])('$what: $equal bytes, wherever they stand', ({ first, second, equal }) => {
    const length = Math.min(first.length, second.length);
    for (const before of ['', 'x', '\n', 'x\ny']) {
      for (const behind of ['', '\n', 'z\n']) {
        const one = Buffer.from(before + first + behind);
        const other = Buffer.from(`${before}\n${second}`);
        expect(equalLines(one, before.length, other, before.length + 1, length)).toBe(equal);
      }
    }
  });

  test.each([0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 12_287, 12_288, 12_289, 16_000, 19_999])(
    'lines that differ at byte %i are equal up to the line before',
    (place) => {
      const first = Buffer.from(LINES);
      const second = Buffer.from(`behind\n${LINES}`);
      second[7 + place] = 0x58;
      expect(equalLines(first, 0, second, 7, LINES.length)).toBe(place - (place % 10));
    },
  );

  test.each([0, 9, 10, 4095, 4096, 5000, 12_288, 20_000])('no more than %i bytes are compared', (length) => {
    expect(equalLines(Buffer.from(LINES), 0, Buffer.from(LINES), 0, length)).toBe(length - (length % 10));
  });
});

describe('LineNumbers', () => {
  test.each<{ what: string; lines: readonly number[] }>([
    { what: 'follow one another', lines: [1, 2, 3, 4] },
    { what: 'begin later', lines: [5, 6, 7] },
    { what: 'leave out lines', lines: [1, 2, 4, 5, 9, 10, 11, 20] },
    { what: 'hold several records', lines: [1, 1, 2, 3, 3, 3, 4] },
  ])('lines that $what', ({ lines }) => {
    const numbers = new LineNumbers();
    for (const [record, line] of lines.entries()) numbers.note(record, line);
    expect(lines.map((_, record) => numbers.of(record))).toEqual(lines);
    const last = lines.length - 1;
    expect(numbers.of(last + 10)).toBe((lines[last] ?? 0) + 10);
  });

  test('lines with gaps of any length, at equal distances and not', () => {
    const gaps = fc.array(
      fc.record({ length: fc.integer({ min: 1, max: 3 }), step: fc.nat(2), times: fc.integer({ min: 1, max: 4 }) }),
    );
    fc.assert(
      fc.property(gaps, (parts) => {
        const lines: number[] = [];
        let line = 1;
        for (const { length, step, times } of parts) {
          for (let time = 0; time < times; time += 1, line += step) {
            for (let count = 0; count < length; count += 1, line += 1) lines.push(line);
          }
        }
        const numbers = new LineNumbers();
        for (const [record, at] of lines.entries()) {
          numbers.note(record, at);
          expect(numbers.of(record)).toBe(at);
        }
        expect(lines.map((_, record) => numbers.of(record))).toEqual(lines);
      }),
    );
  });

  test.each([
    ['the eighth of each eight lines is left out', (record: number) => record + Math.floor(record / 7) + 1],
    ['two records stand on each line', (record: number) => Math.floor(record / 2) + 1],
    ['each fifth line is left out, from the third on', (record: number) => record + Math.floor((record + 2) / 4) + 1],
  ])('%s, a thousand times', (_what, lineOf) => {
    const numbers = new LineNumbers();
    for (let record = 0; record < 7000; record += 1) numbers.note(record, lineOf(record));
    const wrong = Array.from({ length: 7000 }, (_, record) => record).filter((record) => numbers.of(record) !== lineOf(record));
    expect(wrong).toEqual([]);
  });

  test('lines of which only some are noted', () => {
    const numbers = new LineNumbers();
    numbers.note(10, 11);
    numbers.note(20, 31);
    expect([0, 10, 19, 20, 25].map((record) => numbers.of(record))).toEqual([1, 11, 20, 31, 36]);
  });
});

describe('LostLines', () => {
  test('holds the lines that were added', () => {
    const lines = fc.uniqueArray(fc.oneof(fc.nat(70), fc.integer({ min: 65_500, max: 65_600 }), fc.nat(10_000_000)));
    fc.assert(
      fc.property(lines, (added) => {
        const lost = new LostLines();
        for (const line of added) lost.add(line);
        expect(lost.size).toBe(added.length);
        for (const line of [...added, ...added.map((line) => line + 1), ...added.map((line) => line + (1 << 16)), 0, 7, 8]) {
          expect(lost.has(line)).toBe(added.includes(line));
        }
      }),
    );
  });

  test.each([
    { lines: [], ranges: [] },
    { lines: [1], ranges: [[0, 65_536]] },
    { lines: [65_535], ranges: [[0, 65_536]] },
    { lines: [65_536], ranges: [[65_536, 131_072]] },
    { lines: [70_000, 1, 2], ranges: [[0, 131_072]] },
    {
      lines: [400_000, 70_000, 200_000, 1],
      ranges: [
        [0, 131_072],
        [196_608, 262_144],
        [393_216, 458_752],
      ],
    },
    { lines: [150_000, 80_000, 10], ranges: [[0, 196_608]] },
  ])('the lines $lines are in $ranges', ({ lines, ranges }) => {
    const lost = new LostLines();
    for (const line of lines) lost.add(line);
    expect(lost.ranges().map(({ from, until }) => [from, until])).toEqual(ranges);
  });
});

describe('countLostGroups', () => {
  /** Counts the groups of a log, which begins at a line, and notes what was read of it. */
  async function count(
    log: readonly string[],
    lost: readonly number[],
    firstLine = 1,
  ): Promise<{ readonly groups: number; readonly read: readonly LineRange[] }> {
    const lines = new LostLines();
    for (const line of lost) lines.add(line);
    const read: LineRange[] = [];
    const groups = await countLostGroups((range) => {
      read.push(range);
      return chunksOf(log.slice(range.from - firstLine, range.until - firstLine).join(''));
    }, lines);
    return { groups, read };
  }

  const LOG = [1, 2, 3, 4].flatMap(groupLines);
  const [FAILURE = ''] = groupLines(9);
  const DEPRECATION = groupLines(20).at(-1) ?? '';

  test.each([
    { what: 'none', log: LOG, lost: [], groups: 0 },
    { what: 'a load failure', log: LOG, lost: [3], groups: 1 },
    { what: 'a deprecation record', log: LOG, lost: [8], groups: 1 },
    { what: 'several records of a group', log: LOG, lost: [9, 12, 16], groups: 1 },
    { what: 'a record of each of two groups', log: LOG, lost: [1, 16], groups: 2 },
    { what: 'all records', log: LOG, lost: LOG.map((_, index) => index + 1), groups: 4 },
    { what: 'a load failure of no group', log: [...LOG, FAILURE], lost: [33], groups: 0 },
    { what: 'a load failure of no group before a deprecation record of none', log: [FAILURE, DEPRECATION], lost: [1], groups: 0 },
    { what: 'a deprecation record of no group', log: [DEPRECATION, ...LOG], lost: [1], groups: 1 },
    { what: 'foreign lines', log: ['x\n', ...LOG], lost: [1], groups: 0 },
  ])('of which was lost $what: $groups', async ({ log, lost, groups }) => {
    expect((await count(log, lost)).groups).toBe(groups);
  });

  test('what is read begins 8,192 lines before the lost ones and ends as many behind them', async () => {
    const between = Array.from({ length: 8200 }, () => 'x\n');
    const firstLine = 65_536 - 8192;
    const log = [...groupLines(1), ...between, ...groupLines(2), ...groupLines(3)];
    const { groups, read } = await count(log, [firstLine + 8 + 8200 + 3], firstLine);
    expect({ groups, read }).toEqual({ groups: 1, read: [{ from: firstLine, until: 131_072 + 8192 }] });
    expect((await count(LOG, [1])).read).toEqual([{ from: 1, until: 65_536 + 8192 }]);
  });

  test('ranges far from one another are read one by one', async () => {
    const lost = new LostLines();
    lost.add(3);
    lost.add(65_536 * 4 + 5);
    const groups = await countLostGroups(({ from }) => chunksOf(from === 1 ? LOG.join('') : GAP + LOG.join('')), lost);
    expect(groups).toBe(2);
  });

  /** So many lines that the next one is that at which the page begins. */
  const GAP = 'x\n'.repeat(8192);
});

describe('DeprecationCounter', () => {
  const LINES = groupLines(1);
  const DEPRECATION = LINES.at(-1) ?? '';

  function countIn(...blocks: readonly string[]): number {
    const counter = new DeprecationCounter();
    for (const block of blocks) counter.add(Buffer.from(block, 'latin1'));
    return counter.count;
  }

  test.each([
    { what: 'nothing', blocks: [''], count: 0 },
    { what: 'a group', blocks: [LINES.join('')], count: 1 },
    { what: 'groups in several blocks', blocks: [LINES.join(''), LINES.join('') + LINES.join(''), DEPRECATION], count: 4 },
    { what: 'a last line without LF', blocks: [DEPRECATION + DEPRECATION.slice(0, -1)], count: 2 },
    { what: 'the word twice in a record', blocks: [DEPRECATION.replace('/usr', '/Deprecated/usr') + DEPRECATION], count: 2 },
    { what: 'the word in a foreign line', blocks: [`Deprecated\n${DEPRECATION}something Deprecated`], count: 1 },
    { what: 'the word at the beginning of a record that is cut', blocks: [DEPRECATION.slice(0, 60)], count: 0 },
    {
      what: 'records of other hours, days and zones',
      blocks: [1, 3600, 86_400].flatMap((number) => {
        const line = groupLines(number).at(-1) ?? '';
        return [line, line.replace('Europe/Warsaw', 'Europe/Berlin'), line];
      }),
      count: 9,
    },
  ])('$what: $count', ({ blocks, count }) => {
    expect(countIn(...blocks)).toBe(count);
  });

  test.each([
    { what: 'only in minutes and seconds', times: ['02:00:01', '02:59:59', '02:09:50', '02:35:00'], reads: 1 },
    { what: 'in the hour', times: ['02:00:01', '03:00:01', '03:10:01', '02:00:01'], reads: 3 },
    { what: 'in nothing', times: ['02:00:01', '02:00:01'], reads: 1 },
  ])('of lines that differ $what, $reads are read', ({ times, reads }) => {
    const bytes = Buffer.from(['x\n', ...times.map((time) => DEPRECATION.replace('02:00:01', time))].join(''));
    const copy = Buffer.from(bytes);
    let read = 0;
    bytes.toString = (encoding, start, end) => {
      read += 1;
      return copy.toString(encoding, start, end);
    };
    const counter = new DeprecationCounter();
    counter.add(bytes);
    expect({ read, count: counter.count }).toEqual({ read: reads, count: times.length });
  });

  test('a record that differs from the one before in a byte counts if it is a deprecation record', () => {
    const changes = Array.from(DEPRECATION.slice(0, -1)).flatMap((_, at) =>
      Array.from('0569:[ x/', (byte) => `${DEPRECATION.slice(0, at)}${byte}${DEPRECATION.slice(at + 1, -1)}`),
    );
    const countedOf = (line: string): number => (parseRecord(line)?.kind === 'deprecation' ? 2 : 1);
    const wrong = changes.filter((line) => countIn(DEPRECATION, `${line}\n`) !== countedOf(line));
    expect(wrong).toEqual([]);
    expect(new Set(changes.map(countedOf))).toEqual(new Set([1, 2]));
  });
});

describe('arrivalKeys', () => {
  const [FAILURE = '', , , , , , , DEPRECATION = ''] = groupLines(1).map((line) => line.slice(0, -1));
  const fieldsOf = (...paths: readonly (readonly [FieldName, string])[]): Comparison => ({
    as: 'fields',
    fields: new Map(paths),
  });
  const FIELDS = fieldsOf(['kind', 'k'], ['instant', 't'], ['request_target', 'r.t']);

  test.each<{ comparison: Comparison; kind: 'load_failure' | 'deprecation' | undefined; keys: readonly (string | undefined)[] }>([
    { comparison: { as: 'lines' }, kind: undefined, keys: [FAILURE, DEPRECATION, 'other'] },
    { comparison: { as: 'lines' }, kind: 'deprecation', keys: [undefined, DEPRECATION, undefined] },
    { comparison: { as: 'field', path: 'm' }, kind: 'load_failure', keys: [FAILURE, undefined, undefined] },
    { comparison: FIELDS, kind: undefined, keys: ['load_failure\n/mail/?r=1', 'deprecation\n', undefined] },
    { comparison: FIELDS, kind: 'load_failure', keys: ['load_failure\n/mail/?r=1', undefined, undefined] },
    {
      comparison: fieldsOf(['instant', 't']),
      kind: undefined,
      keys: ['2025-05-18T00:00:01Z', '2025-05-18T00:00:01Z', undefined],
    },
  ])(
    'of a load failure, a deprecation record and another line sent, $comparison.as of $kind: $keys',
    ({ comparison, kind, keys }) => {
      const { ofSent } = arrivalKeys(comparison, kind);
      expect([FAILURE, DEPRECATION, 'other'].map(ofSent)).toEqual(keys);
    },
  );

  test('bytes of parsed fields stay bytes', () => {
    const line = FAILURE.replace('r=1', 'r=\xff\xc5\xbc');
    const { ofSent, ofReceived } = arrivalKeys(fieldsOf(['request_target', 't']), undefined);
    expect(ofSent(line)).toBe('/mail/?r=\xff\xc5\xbc');
    expect(ofReceived('{"t":"/mail/?r=\xff\xc5\xbc"}')).toEqual(['/mail/?r=\xff\xc5\xbc']);
  });

  test.each<{ comparison: Comparison; line: string; keys: readonly string[] }>([
    { comparison: { as: 'lines' }, line: '{"m":"a"}', keys: ['{"m":"a"}'] },
    { comparison: { as: 'field', path: 'm' }, line: '{"m":"a"}', keys: ['a'] },
    { comparison: { as: 'field', path: 'm' }, line: '{"m":"a\\n"}{"m":"b"}', keys: ['a', 'b'] },
    { comparison: { as: 'field', path: 'm' }, line: '{"n":"a"}{"m":{}}{"m":"b"}', keys: ['b'] },
    { comparison: { as: 'field', path: 'm' }, line: '"m"', keys: [] },
    { comparison: { as: 'field', path: 'm' }, line: '', keys: [] },
    { comparison: { as: 'field', path: 'm' }, line: 'null', keys: [] },
    { comparison: FIELDS, line: '{"k":"deprecation","t":1,"r":{"t":null}}', keys: ['deprecation\n'] },
    { comparison: FIELDS, line: '{"k":"load_failure","r":{"t":"/"}}', keys: ['load_failure\n/'] },
    { comparison: FIELDS, line: '{"t":1}', keys: [] },
    { comparison: fieldsOf(['instant', 't']), line: '{"t":1747526401}', keys: ['2025-05-18T00:00:01Z'] },
    { comparison: fieldsOf(['instant', 't']), line: '{"t":1747526401999999999}', keys: ['2025-05-18T00:00:01Z'] },
  ])('of the received line $line, $comparison.as: $keys', ({ comparison, line, keys }) => {
    expect(arrivalKeys(comparison, undefined).ofReceived(line)).toEqual(keys);
  });
});

describe('Arrivals', () => {
  test('are complete once something was sent and as many equal records have come', () => {
    const arrivals = new Arrivals(digestBytes);
    const steps: boolean[] = [arrivals.isComplete];
    const step = (record: string, isSent: boolean): void => {
      if (isSent) arrivals.addSent(record, NaN);
      else arrivals.addReceived(record, 0);
      steps.push(arrivals.isComplete);
    };
    step('a', false);
    step('a', true);
    step('a', true);
    step('b', false);
    step('a', false);
    step('c', true);
    step('b', true);
    step('c', false);
    expect(steps).toEqual([false, false, true, false, false, true, false, false, true]);
  });

  test('of equal records the one that was sent first is the one that comes first', () => {
    const arrivals = new Arrivals(digestBytes);
    arrivals.addSent('a', 1);
    arrivals.addSent('a', 1.5);
    arrivals.addReceived('a', 1.75);
    expect(arrivals.latency?.max).toBe(0.75);
    arrivals.addReceived('a', 1.75);
    expect(arrivals.latency?.p50).toBe(0.25);
  });

  test('records are byte strings: a character is a byte of the digested record', () => {
    const digested: string[] = [];
    const arrivals = new Arrivals((bytes, start, end) => digested.push(bytes.toString('hex', start, end)));
    arrivals.addSent('a\xff', 0);
    arrivals.addReceived('\x00\xc5', 0);
    expect(digested).toEqual(['61ff', '00c5']);
  });

  test('the latencies of records are counted, in milliseconds', () => {
    const arrivals = new Arrivals(digestBytes);
    const latencies = [...Array.from({ length: 98 }, () => 0.5), 1, 1.5];
    for (const [index, latency] of latencies.entries()) {
      arrivals.addSent(`record ${String(index)}`, 0);
      arrivals.addReceived(`record ${String(index)}`, latency);
    }
    expect(arrivals.latency).toEqual({ p50: 0.5, p99: 1, max: 1.5 });
  });

  test.each([
    { what: 'that was there at the start', sentMs: NaN, receivedMs: 5, latency: undefined },
    { what: 'that came at once', sentMs: 5, receivedMs: 5, latency: 0 },
    { what: 'of which the last microsecond is not whole', sentMs: 0, receivedMs: 0.0019, latency: 0.001 },
    { what: 'that is seen here before it is seen there', sentMs: 5, receivedMs: 4, latency: 0 },
  ])('a record $what', ({ sentMs, receivedMs, latency }) => {
    const arrivals = new Arrivals(digestBytes);
    arrivals.addSent('a', sentMs);
    arrivals.addReceived('a', receivedMs);
    expect(arrivals.latency?.max).toBe(latency);
  });

  test.each([
    { cameMs: 4, sentMs: 4.5, latency: 0 },
    { cameMs: 4.5, sentMs: 4, latency: 0.5 },
  ])(
    'a record that came at $cameMs ms, and of which it is seen later that it was sent at $sentMs ms',
    ({ cameMs, sentMs, latency }) => {
      const arrivals = new Arrivals(digestBytes);
      arrivals.addReceived('a', cameMs);
      arrivals.addSent('a', sentMs);
      expect(arrivals.latency?.max).toBe(latency);
    },
  );

  test('beyond a million records that have not come the oldest is forgotten: it is late for ever', () => {
    let low = 0;
    const arrivals = new Arrivals((_bytes, _start, _end, digest) => {
      digest.low = low;
    });
    const records = (1 << 20) + 2;
    for (low = 0; low < records; low += 1) arrivals.addSent('', 0);
    const cameInMs = (record: number): number | undefined => {
      const before = arrivals.latency?.max;
      low = record;
      arrivals.addReceived('', 1 + record / 1_000_000);
      const { max } = arrivals.latency ?? { max: undefined };
      return before === max ? undefined : max;
    };
    expect([0, 1, 2].map(cameInMs).map((ms) => ms !== undefined)).toEqual([false, false, true]);
    for (let record = 3; record < records; record += 1) {
      low = record;
      arrivals.addReceived('', 0);
    }
    expect(arrivals.isComplete).toBe(false);
  });
});
