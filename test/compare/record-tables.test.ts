import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { digestBytes, type Digest } from '../../src/compare/digest.js';
import { RecentlySent, REMEMBERED_RECORDS } from '../../src/compare/recently-sent.js';
import type { RecordBlock, RecordMark } from '../../src/compare/record-block.js';
import { LOOKAHEAD, RecordWindow } from '../../src/compare/record-window.js';
import { SentMemory } from '../../src/compare/sent-memory.js';
import { FAULTY, UNLIKE, Unmatched } from '../../src/compare/unmatched.js';

const range = (length: number, from = 0): number[] => Array.from({ length }, (_, index) => from + index);

/** A digest that only equal numbers share; numbers of one remainder by 16 share its lower bits, and so a bucket of a hash table. */
function digestOf(number: number): Digest {
  return { low: number % 16, high: number };
}

describe('Unmatched', () => {
  /** A record is its number, and equal to those of the same remainder by 100. */
  const CLASSES = 100;
  const digestOfRecord = (record: number): Digest => digestOf(record % CLASSES);

  function tableOf(records: readonly number[]): { readonly table: Unmatched; readonly slots: Map<number, number> } {
    const table = new Unmatched(false);
    return { table, slots: new Map(records.map((record) => [record, table.add(record, digestOfRecord(record))])) };
  }

  const recordsOf = (table: Unmatched, slots: Iterable<number>): (number | undefined)[] =>
    Array.from(slots, (slot) => table.records[slot]);
  const equalsOf = (table: Unmatched, slots: Iterable<number>): (number | undefined)[] =>
    Array.from(slots, (slot) => table.equals[slot]);
  const slotIn = (slots: ReadonlyMap<number, number>, record: number): number => slots.get(record) ?? -1;

  test('an empty table has no record', () => {
    const table = new Unmatched(true);
    expect([table.size, table.firstGap, table.oldestRecord, table.isHalfFull, table.isNearlyFull]).toEqual([
      0,
      Infinity,
      Infinity,
      false,
      false,
    ]);
    expect([table.find(digestOf(0), -1), table.findSuccessor(-1, digestOf(0)), table.equalTo(digestOf(0))]).toEqual([-1, -1, []]);
    expect(table.slotsIn(0)).toHaveLength(0);
  });

  test('knows its oldest record, and the gap of that', () => {
    const { table, slots } = tableOf([7, 8, 9, 12]);
    table.gaps.set([3, 4, 5, 6], slotIn(slots, 7));
    expect([table.size, table.oldestRecord, table.firstGap]).toEqual([4, 7, 3]);
    table.remove(slotIn(slots, 8));
    expect([table.size, table.oldestRecord, table.firstGap, table.first]).toEqual([3, 7, 3, 0]);
    table.remove(slotIn(slots, 7));
    expect([table.size, table.oldestRecord, table.firstGap, table.first]).toEqual([2, 9, 5, 2]);
    expect([7, 8, 9, 12].map((record) => table.isWaiting(slotIn(slots, record)))).toEqual([false, false, true, true]);
    table.remove(slotIn(slots, 9));
    table.remove(slotIn(slots, 12));
    expect([table.size, table.oldestRecord, table.firstGap, table.first, table.next]).toEqual([0, Infinity, Infinity, 4, 4]);
  });

  test.each([
    ['the oldest', -1, 5],
    ['the first behind a record', 5, 105],
    ['the first behind a place between two', 110, 205],
    ['the last', 299, 305],
    ['the oldest, if none is behind', 305, 5],
  ])('finds of equal records %s', (_what, behind, expected) => {
    const { table } = tableOf([5, 6, 105, 106, 205, 21, 305]);
    expect(recordsOf(table, [table.find(digestOfRecord(5), behind)])).toEqual([expected]);
    expect(table.find(digestOfRecord(22), behind)).toBe(-1);
  });

  test('looks among 64 equal records for the best one, and takes the oldest else', () => {
    const { table } = tableOf(range(70).map((index) => index * CLASSES));
    const found = [62, 63, 64].map((index) => table.records[table.find(digestOfRecord(0), index * CLASSES)]);
    expect(found).toEqual([63 * CLASSES, 0, 0]);
    expect(recordsOf(table, table.equalTo(digestOfRecord(0)))).toEqual(range(64).map((index) => index * CLASSES));
  });

  test('lists equal records that wait, the oldest first', () => {
    const { table, slots } = tableOf([5, 6, 105, 106, 205, 21, 305]);
    table.remove(slotIn(slots, 105));
    expect(recordsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([5, 205, 305]);
    expect(table.equalTo(digestOfRecord(37))).toEqual([]);
  });

  test('finds the successor of a position, if it is the record in question', () => {
    const { table, slots } = tableOf([5, 6, 7, 8]);
    table.remove(slotIn(slots, 7));
    const successors = (record: number): number[] =>
      range(6, -1).map((position) => table.records[table.findSuccessor(position, digestOfRecord(record))] ?? -1);
    // Positions -1 to 4.
    expect(successors(5)).toEqual([5, -1, -1, -1, -1, -1]);
    expect(successors(6)).toEqual([-1, 6, -1, -1, -1, -1]);
    expect(successors(7)).toEqual([-1, -1, -1, -1, -1, -1]);
    expect(successors(8)).toEqual([-1, -1, 8, 8, -1, -1]);
    table.remove(slotIn(slots, 5));
    table.remove(slotIn(slots, 6));
    expect(successors(8)).toEqual([8, 8, 8, 8, -1, -1]);
  });

  test('passes over 63 records that are gone, and no more, to find a successor', () => {
    const { table, slots } = tableOf(range(200));
    for (const record of range(64, 1)) table.remove(slotIn(slots, record));
    expect(table.findSuccessor(0, digestOfRecord(65))).toBe(-1);
    expect(table.records[table.findSuccessor(1, digestOfRecord(65))]).toBe(65);
  });

  test('of equal records the last ones go on waiting when one is delivered', () => {
    const { table, slots } = tableOf([5, 6, 105, 205]);
    table.removeEqual(slotIn(slots, 205), digestOfRecord(205));
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([205, 105]);
    expect(table.equals[slotIn(slots, 6)]).toBe(6);
    table.removeEqual(slotIn(slots, 105), digestOfRecord(105));
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([205]);
    table.removeEqual(slotIn(slots, 5), digestOfRecord(5));
    expect([table.size, table.equalTo(digestOfRecord(5))]).toEqual([1, []]);
  });

  test('the first of equal records is the one that is delivered, if it is the first that came', () => {
    const { table, slots } = tableOf([5, 105, 205]);
    table.removeEqual(slotIn(slots, 5), digestOfRecord(5));
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([105, 205]);
  });

  test('a delivered record takes the place of the first of its equals: the later ones are missing', () => {
    const { table, slots } = tableOf([5, 6, 105]);
    table.moveToLastEqual(digestOfRecord(305), 305);
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([305, 105]);
    table.moveToLastEqual(digestOfRecord(405), 405);
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([305, 405]);
    table.moveToLastEqual(digestOfRecord(77), 77);
    expect(table.equals[slotIn(slots, 6)]).toBe(6);
  });

  test('a record that came altered is not missing: neither in its own place nor for an equal one', () => {
    const { table, slots } = tableOf([5, 6, 105, 205]);
    table.moveToLastEqual(digestOfRecord(305), 305);
    // The record 305 was to be missing for 5. Now that 5 came altered, 105 is delivered by the record that came as 305.
    table.removeAltered(slotIn(slots, 5));
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([305, 205]);
    table.removeAltered(slotIn(slots, 205));
    expect(equalsOf(table, table.equalTo(digestOfRecord(5)))).toEqual([305]);
    table.removeAltered(slotIn(slots, 6));
    const pair = tableOf([5, 105]);
    pair.table.removeAltered(slotIn(pair.slots, 105));
    expect(equalsOf(pair.table, pair.table.equalTo(digestOfRecord(5)))).toEqual([5]);
    expect([table.size, table.isWaiting(slotIn(slots, 6)), table.isWaiting(slotIn(slots, 105))]).toEqual([1, false, true]);
  });

  test('received records that equal none came once too often as soon as an equal one is delivered', () => {
    const { table, slots } = tableOf([5, 6, 105]);
    for (const slot of slots.values()) table.equals[slot] = UNLIKE;
    table.noteSent(digestOfRecord(5), 40);
    expect(equalsOf(table, slots.values())).toEqual([40, UNLIKE, 40]);
    table.noteSent(digestOfRecord(5), 50);
    expect(equalsOf(table, slots.values())).toEqual([40, UNLIKE, 40]);
    table.equals[slotIn(slots, 6)] = FAULTY;
    table.noteSent(digestOfRecord(6), 50);
    expect(equalsOf(table, slots.values())).toEqual([40, FAULTY, 40]);
  });

  test.each<[number, readonly number[]]>([
    [2, [1, 4]],
    [3, []],
    [1, []],
  ])('gives the records that wait in gap %d, if that is the first one', (gap, expected) => {
    const { table, slots } = tableOf([0, 1, 2, 3, 4, 5, 6]);
    table.gaps.set([1, 2, 2, 2, 2, 3, 2]);
    for (const record of [0, 2, 3]) table.remove(slotIn(slots, record));
    expect(recordsOf(table, table.slotsIn(gap))).toEqual(expected);
  });

  test.each([
    ['of as many slots as at first', 900],
    ['that grows', 1500],
  ])('keeps records in order in a ring %s, gone round more than once', (_what, most) => {
    const table = new Unmatched(true);
    const digest = (record: number): Digest => ({ low: Math.imul(record, 0x9e3779b1), high: record });
    const slotOf = (record: number): number => table.find(digest(record), -1);
    const waiting: number[] = [];
    for (const record of range(5000)) {
      const slot = table.add(record, digest(record));
      table.gaps[slot] = record + 0.25;
      table.places[slot] = record + 0.5;
      table.equals[slot] = record + 0.75;
      if (record % 10 === 0) table.remove(slot);
      else waiting.push(record);
      if (waiting.length > most) table.remove(slotOf(waiting.shift() ?? -1));
    }
    expect([table.size, table.oldestRecord, table.next]).toEqual([waiting.length, waiting[0], 5000]);
    for (const record of waiting) {
      const slot = slotOf(record);
      expect([table.isWaiting(slot), table.positionOf(slot), table.slotOf(record)]).toEqual([true, record, slot]);
      const columns = [table.records, table.gaps, table.places, table.equals].map((column) => column[slot]);
      expect(columns).toEqual([record, record + 0.25, record + 0.5, record + 0.75]);
    }
    expect(slotOf(4990)).toBe(-1);
  });

  test('has room for a million records, of which the last 4,096 are spare', () => {
    const table = new Unmatched(false);
    const digest: Digest = { low: 0, high: 0 };
    for (const record of range(10)) table.remove(table.add(record, digest));
    const fullness: (readonly [number, boolean, boolean])[] = [];
    const marks = new Set([2 ** 19, 2 ** 19 + 1, 2 ** 20 - 4096, 2 ** 20 - 4095]);
    for (let record = 1; record <= 2 ** 20; record += 1) {
      digest.low = record;
      table.add(record, digest);
      if (marks.has(record)) fullness.push([record, table.isHalfFull, table.isNearlyFull]);
    }
    expect(fullness).toEqual([
      [2 ** 19, false, false],
      [2 ** 19 + 1, true, false],
      [2 ** 20 - 4096, true, false],
      [2 ** 20 - 4095, true, true],
    ]);
    expect(table.records).toHaveLength(2 ** 20);
    for (const record of [1, 2 ** 10, 2 ** 10 + 1, 2 ** 15, 2 ** 15 + 1, 2 ** 20]) {
      expect(table.records[table.find({ low: record, high: 0 }, -1)]).toBe(record);
    }
    table.clear();
    expect([table.size, table.isHalfFull, table.records.length, table.gaps.length, table.equals.length]).toEqual([
      0,
      false,
      1024,
      1024,
      1024,
    ]);
    expect([table.places.length, table.find({ low: 1, high: 0 }, -1), table.isWaiting(0)]).toEqual([0, -1, false]);
    table.add(7, digestOf(7));
    expect([table.oldestRecord, table.size]).toEqual([7, 1]);
  });

  test('only the side whose texts are kept has places for them', () => {
    expect([new Unmatched(true).places.length, new Unmatched(false).places.length]).toEqual([1024, 0]);
    const table = new Unmatched(true);
    for (const record of range(1025)) table.add(record, digestOf(record));
    expect(table.places.length).toBe(table.records.length);
    table.clear();
    expect(table.places).toHaveLength(1024);
    const without = new Unmatched(false);
    for (const record of range(1025)) without.add(record, digestOf(record));
    expect(without.places).toHaveLength(0);
  });
});

describe('RecordWindow', () => {
  const blockOf = (lines: readonly string[], position?: number): RecordBlock => ({
    bytes: Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'),
    position,
  });

  /** A block whose records are not lines; each record may have a line, a text and a fault. */
  function markedBlock(records: readonly (readonly [text: string, more: Omit<RecordMark, 'end'>])[]): RecordBlock {
    let end = -1;
    const marks = records.map(([text, more]): RecordMark => ({ ...more, end: (end += text.length + 1) }));
    return { ...blockOf(records.map(([text]) => text)), marks };
  }

  function windowOf(...blocks: readonly RecordBlock[]): RecordWindow {
    const window = new RecordWindow(digestBytes);
    for (const block of blocks) window.append(block);
    return window;
  }

  function digestAhead(window: RecordWindow, ahead: number): Digest {
    const digest = { low: 0, high: 0 };
    window.readDigest(ahead, digest);
    return digest;
  }

  function digestOfText(text: string): Digest {
    const digest = { low: 0, high: 0 };
    digestBytes(Buffer.from(text, 'latin1'), 0, text.length, digest);
    return digest;
  }

  /** All records that are left: number, text, line. */
  function drain(window: RecordWindow): (readonly [number, string, number])[] {
    const all: (readonly [number, string, number])[] = [];
    while (!window.isEmpty) {
      all.push([window.record, window.head.toString('latin1'), window.lines.of(window.record)]);
      window.advance();
    }
    return all;
  }

  test('is empty at first, and knows no record ahead', () => {
    const window = windowOf(blockOf([]));
    expect([window.isEmpty, window.isPlain, window.lookAhead(1), window.record, window.hasEnded]).toEqual([
      true,
      true,
      0,
      0,
      false,
    ]);
  });

  test.each<[string, readonly RecordBlock[], ReturnType<typeof drain>]>([
    [
      'lines',
      [blockOf(['a', '', 'ccc'])],
      [
        [0, 'a', 1],
        [1, '', 2],
        [2, 'ccc', 3],
      ],
    ],
    [
      'lines of several blocks, one of them empty',
      [blockOf(['a', 'b']), blockOf([]), blockOf(['c']), blockOf(['d'])],
      [
        [0, 'a', 1],
        [1, 'b', 2],
        [2, 'c', 3],
        [3, 'd', 4],
      ],
    ],
    [
      'records that hold LFs, some with lines of their own',
      [
        markedBlock([
          ['a\nb', { line: 4 }],
          ['c', {}],
          ['\n', { line: 9 }],
        ]),
      ],
      [
        [0, 'a\nb', 4],
        [1, 'c', 5],
        [2, '\n', 9],
      ],
    ],
    [
      'marked records behind lines',
      [blockOf(['a', 'b']), markedBlock([['c\nc', { line: 7 }]]), markedBlock([['d\n', { line: 8 }]])],
      [
        [0, 'a', 1],
        [1, 'b', 2],
        [2, 'c\nc', 7],
        [3, 'd\n', 8],
      ],
    ],
    [
      'lines behind marked records',
      [markedBlock([['a\na', { line: 3 }]]), blockOf(['b', 'c'])],
      [
        [0, 'a\na', 3],
        [1, 'b', 4],
        [2, 'c', 5],
      ],
    ],
    [
      'lines between marked records',
      [markedBlock([['a\na', { line: 3 }]]), blockOf(['b', 'c']), markedBlock([['d\nd', { line: 8 }]])],
      [
        [0, 'a\na', 3],
        [1, 'b', 4],
        [2, 'c', 5],
        [3, 'd\nd', 8],
      ],
    ],
  ])('gives %s one by one', (_what, blocks, expected) => {
    expect(drain(windowOf(...blocks))).toEqual(expected);
    // Fed with each block when the one before is used up.
    const window = new RecordWindow(digestBytes);
    const all = blocks.flatMap((block) => {
      window.append(block);
      return drain(window);
    });
    expect(all).toEqual(expected);
  });

  test('gives the same records however much is looked ahead, and though blocks are overwritten when the next one comes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\xe9'), maxLength: 5 });
    const record = fc.record({ text, isMarked: fc.boolean() });
    const step = fc.record({ look: fc.nat(6), advance: fc.nat(4) });
    const block = fc.record({
      isMarked: fc.boolean(),
      records: fc.array(record, { minLength: 1, maxLength: 6 }),
      steps: fc.array(step, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), (blocks) => {
        const window = new RecordWindow(digestBytes);
        const all = blocks.flatMap(({ isMarked, records }) =>
          records.map((one) => (isMarked && one.isMarked ? `${one.text}\n${one.text}` : one.text)),
        );
        const seen: string[] = [];
        let known = 0;
        const take = (): void => {
          seen.push(window.head.toString('latin1'));
          window.advance();
        };
        for (const { isMarked, records, steps } of blocks) {
          const texts = all.slice(known, known + records.length);
          const next = isMarked ? markedBlock(texts.map((one) => [one, {}])) : blockOf(texts);
          window.append(next);
          known += records.length;
          for (const { look, advance } of steps) {
            const left = known - seen.length;
            expect(window.lookAhead(look)).toBe(Math.min(look, left));
            for (let ahead = 0; ahead < Math.min(look, left); ahead += 1) {
              expect(digestAhead(window, ahead)).toEqual(digestOfText(all[seen.length + ahead] ?? '?'));
            }
            for (let count = 0; count < Math.min(advance, left); count += 1) take();
          }
          window.keep();
          next.bytes.fill('z');
        }
        while (!window.isEmpty) take();
        expect(seen).toEqual(all);
        expect(window.record).toBe(all.length);
      }),
    );
  });

  test('looks ahead over more records than it holds digests of', () => {
    const window = windowOf(blockOf(range(5000).map(String)));
    for (let record = 0; record < 5000; record += 700) {
      const count = window.lookAhead(LOOKAHEAD);
      expect([window.record, count]).toEqual([record, Math.min(LOOKAHEAD, 5000 - record)]);
      for (const ahead of [0, 1, count - 1]) expect(digestAhead(window, ahead)).toEqual(digestOfText(String(record + ahead)));
      for (let passed = 0; passed < 700 && !window.isEmpty; passed += 1) window.advance();
    }
    expect(window.isEmpty).toBe(true);
  });

  test('tells equal records from others', () => {
    const one = windowOf(blockOf(['a', 'b', 'c']));
    const other = windowOf(blockOf(['x', 'b', 'c', 'b']));
    one.lookAhead(3);
    other.lookAhead(4);
    expect([one.equals(1, other, 1), one.equals(1, other, 3), one.equals(1, other, 2), one.equals(0, other, 0)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    one.advance();
    other.advance();
    expect([one.equals(0, other, 0), one.equals(1, other, 0), one.equals(1, one, 1)]).toEqual([true, false, true]);
  });

  test('needs both halves of a digest to be equal', () => {
    const half = (bytes: Buffer, start: number, end: number, digest: Digest): void => {
      [digest.low, digest.high] = [bytes[start] ?? 0, bytes[end - 1] ?? 0];
    };
    const window = new RecordWindow(half);
    window.append(blockOf(['ab', 'ac', 'cb', 'ab']));
    window.lookAhead(4);
    expect([1, 2, 3].map((ahead) => window.equals(0, window, ahead))).toEqual([false, false, true]);
  });

  test('a line that cannot be a record equals no other, not even a line like it', () => {
    const window = windowOf(
      markedBlock([
        ['a', { fault: 'torn' }],
        ['a', {}],
        ['a', { fault: 'torn' }],
        ['a', { fault: 'torn', text: 'shown' }],
      ]),
    );
    window.lookAhead(4);
    const pairs = range(4).flatMap((one) => range(one).map((other) => window.equals(one, window, other)));
    expect(pairs).toEqual([false, false, false, false, false, false]);
    expect(digestAhead(window, 1)).toEqual(digestOfText('a'));
    const marks = range(4).map(() => {
      const { mark } = window;
      window.advance();
      return [mark?.fault, mark?.text];
    });
    expect(marks).toEqual([
      ['torn', undefined],
      [undefined, undefined],
      ['torn', undefined],
      ['torn', 'shown'],
    ]);
  });

  test('is plain while all that is there are lines', () => {
    const window = windowOf(blockOf(['a']), blockOf(['a']));
    expect(window.isPlain).toBe(true);
    window.append(markedBlock([['b', { line: 5 }]]));
    expect(window.isPlain).toBe(false);
    drain(window);
    window.append(blockOf(['c']));
    expect(window.isPlain).toBe(true);
    expect(window.mark).toBeUndefined();
  });

  test('passes over lines by their bytes, and forgets what it knew ahead', () => {
    const window = windowOf(blockOf(['a', 'bb', 'ccc', 'd']));
    window.lookAhead(3);
    window.advanceTo(5, 2);
    expect([window.record, window.head.toString(), window.end]).toEqual([2, 'ccc', 8]);
    expect([window.lookAhead(1), digestAhead(window, 0)]).toEqual([1, digestOfText('ccc')]);
    expect(drain(window).map(([record, text]) => [record, text])).toEqual([
      [2, 'ccc'],
      [3, 'd'],
    ]);
  });

  test('knows where the next record ends, looked at or not', () => {
    const window = windowOf(blockOf(['a', 'bb', 'ccc', 'd']));
    const before = window.end;
    window.lookAhead(2);
    const looked = window.end;
    window.advance();
    const next = window.end;
    window.advance();
    expect([before, looked, next, window.end]).toEqual([1, 1, 4, 8]);
  });

  test.each<[string, readonly RecordBlock[], number | undefined]>([
    ['one block', [blockOf(['a', 'b', 'c'], 10)], 12],
    ['blocks that follow one another', [blockOf(['a', 'b'], 10), blockOf(['c'], 14)], 12],
    ['blocks that do not', [blockOf(['a', 'b'], 10), blockOf(['c'], 15)], undefined],
    ['a block without a position behind one', [blockOf(['a', 'b'], 10), blockOf(['c'])], undefined],
    ['a block behind one without a position', [blockOf(['a', 'b']), blockOf(['c'], 4)], undefined],
  ])('knows where the bytes of %s can be read again', (_what, blocks, expected) => {
    const window = new RecordWindow(digestBytes);
    for (const block of blocks) {
      window.append(block);
      if (window.record === 0) window.advance();
    }
    const place = window.position === undefined ? undefined : window.position + window.at;
    expect([place, window.head.toString()]).toEqual([expected, 'b']);
    window.keep();
    expect([window.at, window.position]).toEqual([0, expected]);
    drain(window);
    window.append(blockOf(['d'], 100));
    expect([window.position, window.at]).toEqual([100, 0]);
  });
});

describe('RecentlySent', () => {
  const digest = (number: number): Digest => ({ low: number | 0, high: 0 });

  test('finds the last record with a digest, and tells which record is at a number', () => {
    const recent = new RecentlySent();
    recent.restart(100);
    for (const number of [7, 8, 7, 9 + 2 ** 20, 9]) recent.add(digestOf(number));
    expect([7, 8, 9, 9 + 2 ** 20, 10].map((number) => recent.find(digestOf(number)))).toEqual([102, 101, 104, 103, -1]);
    const at = range(7, 99).map((number) => recent.isAt(number, digestOf(7)));
    expect(at).toEqual([false, true, false, true, false, false, false]);
    expect([recent.isAt(104, { low: 9, high: 8 }), recent.isAt(104, { low: 8, high: 9 })]).toEqual([false, false]);
    recent.restart(0);
    expect([recent.find(digestOf(7)), recent.isAt(100, digestOf(7))]).toEqual([-1, false]);
    recent.add(digestOf(7));
    expect(recent.find(digestOf(7))).toBe(0);
  });

  test('tells digests apart that differ in one half', () => {
    const recent = new RecentlySent();
    for (const low of [1, 2]) for (const high of [-1, 0, 3]) recent.add({ low, high });
    expect(recent.find({ low: 1, high: 3 })).toBe(2);
    expect(recent.find({ low: 2, high: -1 })).toBe(3);
    expect(recent.find({ low: 2, high: 4 })).toBe(-1);
  });

  test('knows no record of a number that has not come, whatever the digest', () => {
    const recent = new RecentlySent();
    const none: Digest = { low: 0, high: 0 };
    recent.restart(5);
    recent.add(digestOf(7));
    expect(range(4, 4).map((number) => recent.isAt(number, none))).toEqual([false, false, false, false]);
    recent.add(none);
    expect(range(4, 4).map((number) => recent.isAt(number, none))).toEqual([false, false, true, false]);
  });

  test('finds the last of equal records when there is room for more of them', () => {
    const recent = new RecentlySent();
    for (const number of [...range(1000), ...range(1000), ...range(1000, 1000)]) recent.add(digestOf(number));
    for (const number of range(2000)) expect(recent.find(digestOf(number))).toBe(number + 1000);
  });

  test('remembers the last million records, and forgets those of more than one and a half million before', () => {
    const recent = new RecentlySent();
    const half = REMEMBERED_RECORDS / 2;
    const record = digest(0);
    const checked: (readonly [number, readonly number[]])[] = [];
    const numbers = [0, half - 1, half, 2 * half, 3 * half - 1, 3 * half];
    for (let number = 0; number <= 3 * half; number += 1) {
      record.low = number;
      recent.add(record);
      if (number === 3 * half - 1 || number === 3 * half) {
        const found = numbers.filter((one) => recent.find(digest(one)) === one && recent.isAt(one, digest(one)));
        checked.push([number, found]);
      }
    }
    expect(checked).toEqual([
      [3 * half - 1, [0, half - 1, half, 2 * half, 3 * half - 1]],
      [3 * half, [half, 2 * half, 3 * half - 1, 3 * half]],
    ]);
    // The last of equal records, in whichever generation.
    recent.add(digest(half));
    expect(recent.find(digest(half))).toBe(3 * half + 1);
    expect(recent.isAt(half, digest(half))).toBe(true);
  });
});

describe('SentMemory', () => {
  /** A memory of records that are their own digests. */
  function memoryOf(remembersAll: boolean): { readonly memory: SentMemory; readonly asked: number[] } {
    const asked: number[] = [];
    const digestSent = (record: number, digest: Digest): void => {
      asked.push(record);
      Object.assign(digest, digestOf(record));
    };
    return { memory: new SentMemory({ remembersAll, digestSent }), asked };
  }

  test('remembers nothing before the first difference, then all that went before it', () => {
    const { memory, asked } = memoryOf(false);
    for (const record of range(5)) memory.add(digestOf(record));
    expect([memory.isOn, memory.recent.find(digestOf(3)), asked]).toEqual([false, -1, []]);
    memory.begin(5);
    expect([memory.isOn, asked]).toEqual([true, [0, 1, 2, 3, 4]]);
    expect([memory.recent.find(digestOf(0)), memory.recent.find(digestOf(4))]).toEqual([0, 4]);
    memory.begin(5);
    memory.add(digestOf(5));
    expect([memory.recent.find(digestOf(5)), asked.length]).toEqual([5, 5]);
  });

  test('goes back a million records at most', () => {
    const asked: number[] = [];
    let count = 0;
    const memory = new SentMemory({
      remembersAll: false,
      digestSent: (record) => {
        count += 1;
        if (asked.length === 0) asked.push(record);
      },
    });
    memory.begin(REMEMBERED_RECORDS + 7);
    expect([asked, count]).toEqual([[7], REMEMBERED_RECORDS]);
  });

  test('ends when nothing has come to wait for a million records, and can begin again', () => {
    const { memory, asked } = memoryOf(false);
    memory.begin(2);
    memory.endAfter(REMEMBERED_RECORDS);
    expect(memory.isOn).toBe(true);
    memory.endAfter(REMEMBERED_RECORDS + 1);
    expect(memory.isOn).toBe(false);
    memory.add(digestOf(2));
    expect(memory.recent.find(digestOf(2))).toBe(-1);
    memory.begin(4);
    expect(asked).toEqual([0, 1, 0, 1, 2, 3]);
    expect(memory.recent.isAt(2, digestOf(2))).toBe(true);
  });

  test('remembers from the first record on, and does not end, where records are not read again', () => {
    const { memory, asked } = memoryOf(true);
    for (const record of range(3)) memory.add(digestOf(record));
    memory.begin(3);
    memory.endAfter(2 * REMEMBERED_RECORDS);
    expect([memory.isOn, memory.recent.find(digestOf(1)), asked]).toEqual([true, 1, []]);
    memory.forget();
    expect(memory.recent.find(digestOf(1))).toBe(-1);
  });
});
