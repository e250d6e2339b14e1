import { closeSync, openSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CallError } from '../../src/errors.js';
import { HeldFindings } from '../../src/compare/held-findings.js';
import type { ComparisonFinding } from '../../src/compare/kinds.js';
import { ReadAhead, type ReadAt } from '../../src/compare/read-ahead.js';
import { SentLines } from '../../src/compare/sent-lines.js';
import { SentLog } from '../../src/compare/sent-log.js';
import { Spill } from '../../src/compare/spill.js';
import { collect } from '../support/bytes.js';
import { sourceOf } from '../support/compared.js';

const MIB = 1 << 20;

/** A ReadAhead reads so many bytes at a time. */
const AHEAD = MIB / 4;

/** A Spill keeps so many bytes in memory. */
const IN_MEMORY = 4 * MIB;

/** 5 MiB in which every 8 bytes are their own position in decimal. */
const POSITIONS = Buffer.alloc(5 * MIB, '0');
for (let position = 0; position < POSITIONS.length; position += 8) {
  for (let rest = position, at = position + 7; rest > 0; rest = Math.trunc(rest / 10)) POSITIONS[at--] = 0x30 + (rest % 10);
}

/** An input in memory that gives at most so many bytes at a time, and records the positions at which it was read. */
function inputOf(bytes: Buffer, most = Infinity): { readonly readAt: ReadAt; readonly asked: number[] } {
  const asked: number[] = [];
  const readAt: ReadAt = (target, position) => {
    asked.push(position);
    const found = bytes.subarray(position, position + Math.min(target.length, most));
    target.set(found);
    return found.length;
  };
  return { readAt, asked };
}

/** The same bytes with LFs at some positions. */
function withLfs(bytes: Buffer, positions: readonly number[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const position of positions) copy[position] = 0x0a;
  return copy;
}

describe('ReadAhead', () => {
  const input = POSITIONS.subarray(0, MIB);

  test.each<[string, number, number]>([
    ['at the beginning', 0, 8],
    ['behind that', 8, 16],
    ['more than is read at a time', 8, AHEAD + 8],
    ['over the end of what was read', AHEAD - 8, 16],
    ['before all that was read', 16, 8],
    ['nothing', 16, 0],
    ['over the end of the input', MIB - 8, 16],
    ['beyond the end of the input', MIB + 8, 8],
  ])('reads %s', (_what, position, length) => {
    const ahead = new ReadAhead(inputOf(input).readAt);
    const expected = input.toString('latin1', position, position + length);
    expect(ahead.read(AHEAD, 8).toString('latin1')).toBe(String(AHEAD).padStart(8, '0'));
    expect(ahead.read(position, length).toString('latin1')).toBe(expected);
    expect(new ReadAhead(inputOf(input, 100_000).readAt).read(position, length).toString('latin1')).toBe(expected);
  });

  test('reads the input once where pieces follow one another', () => {
    const { readAt, asked } = inputOf(input);
    const ahead = new ReadAhead(readAt);
    for (let position = 0; position < 2 * AHEAD; position += 4096) ahead.read(position, 4096);
    expect(asked).toEqual([0, AHEAD]);
    ahead.read(2 * AHEAD - 8, 8);
    ahead.read(AHEAD, 8);
    expect(asked).toEqual([0, AHEAD]);
    ahead.read(AHEAD - 8, 8);
    expect(asked).toEqual([0, AHEAD, AHEAD - 8]);
  });

  test.each<[string, readonly number[], number, number]>([
    ['near', [20], 8, 20],
    ['at the position itself', [20], 20, 20],
    ['of several the first', [20, 30], 8, 20],
    ['at the end of what is read at a time', [AHEAD - 1], 0, AHEAD - 1],
    ['behind what is read at a time', [AHEAD], 0, AHEAD],
    ['far behind it', [3 * AHEAD + 5], 7, 3 * AHEAD + 5],
    ['as the last byte', [MIB - 1], MIB - AHEAD - 1, MIB - 1],
    ['nowhere behind', [20], 21, -1],
    ['nowhere', [], 0, -1],
    ['from the end of the input', [20], MIB, -1],
  ])('finds the LF of a line: %s', (_what, lfs, position, expected) => {
    const bytes = withLfs(input, lfs);
    const line = bytes.toString('latin1', position, expected === -1 ? MIB : expected);
    for (const before of [0, position, MIB / 2, MIB - 8]) {
      const ahead = new ReadAhead(inputOf(bytes, 200_000).readAt);
      ahead.read(before, 8);
      expect(ahead.findLf(position)).toBe(expected);
      expect(ahead.readLine(position).toString('latin1')).toBe(line);
    }
  });

  test('reads the input once where lines follow one another', () => {
    const { readAt, asked } = inputOf(withLfs(input, [9, 99, AHEAD - 1]));
    const ahead = new ReadAhead(readAt);
    expect([0, 10, 100].map((position) => ahead.findLf(position))).toEqual([9, 99, AHEAD - 1]);
    expect(asked).toEqual([0]);
  });
});

describe('Spill', () => {
  /** A spill that holds 5 MiB, the first 4 of them in a file. */
  function filedSpill(): Spill {
    const spill = new Spill();
    expect(spill.append(POSITIONS)).toBe(0);
    return spill;
  }

  test.each<[string, number, number]>([
    ['in the file', 8, 16],
    ['at the end of the file', IN_MEMORY - 8, 8],
    ['from the file into memory', IN_MEMORY - 8, 16],
    ['from the beginning of the file into memory', 0, IN_MEMORY + 8],
    ['at the beginning of memory', IN_MEMORY, 8],
    ['in memory', IN_MEMORY + 800, 16],
    ['all of memory', IN_MEMORY, MIB],
    ['nothing', 8, 0],
  ])('reads what it wrote: %s', (_what, place, length) => {
    const spill = filedSpill();
    expect(spill.length).toBe(POSITIONS.length);
    expect(spill.read(place, length).equals(POSITIONS.subarray(place, place + length))).toBe(true);
    spill.close();
  });

  test('gives the place of each piece, and writes a part of a buffer', () => {
    const spill = new Spill();
    const alphabet = Buffer.from('abcdefghij');
    expect([
      spill.append(alphabet),
      spill.append(alphabet, 2, 5),
      spill.append(alphabet, 8),
      spill.append(alphabet, 3, 3),
    ]).toEqual([0, 10, 13, 15]);
    expect(spill.length).toBe(15);
    expect(spill.read(0, 15).toString()).toBe('abcdefghijcdeij');
  });

  test('keeps what was written while memory grows', () => {
    const spill = new Spill();
    const piece = Buffer.alloc(1000);
    for (let index = 0; index < 40; index += 1) expect(spill.append(piece.fill(index))).toBe(index * 1000);
    expect(Array.from({ length: 40 }, (_, index) => spill.read(index * 1000 + 999, 1)[0])).toEqual([...Array(40).keys()]);
  });

  test('goes on in the file when memory is full again', () => {
    const spill = new Spill();
    for (const from of [0, 1, 2, 3, 4, 5, 6, 7, 8]) spill.append(POSITIONS, from, from + MIB);
    expect(spill.length).toBe(9 * MIB);
    for (const from of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
      const piece = spill.read(from * MIB, MIB);
      expect(piece.equals(POSITIONS.subarray(from, from + MIB))).toBe(true);
    }
    spill.close();
  });

  test('forgets all when it is cleared, and starts anew', () => {
    const spill = filedSpill();
    spill.read(0, 8);
    spill.clear();
    expect(spill.length).toBe(0);
    const other = Buffer.from(POSITIONS).reverse();
    expect(spill.append(other)).toBe(0);
    for (const place of [0, IN_MEMORY - 8, IN_MEMORY]) {
      expect(spill.read(place, 16).equals(other.subarray(place, place + 16))).toBe(true);
    }
    spill.close();
    const small = new Spill();
    small.append(Buffer.from('abc'));
    small.clear();
    small.append(Buffer.from('d'));
    expect([small.length, small.read(0, 1).toString()]).toEqual([1, 'd']);
  });

  /** The descriptor that the next file gets: the lowest that is free. */
  function nextDescriptor(): number {
    const fd = openSync(process.execPath, 'r');
    closeSync(fd);
    return fd;
  }

  test('gives up its file when it is cleared, and when it is closed', () => {
    const before = nextDescriptor();
    const spill = filedSpill();
    const during = nextDescriptor();
    spill.clear();
    const cleared = nextDescriptor();
    spill.append(POSITIONS);
    spill.close();
    expect([during > before, cleared, nextDescriptor()]).toEqual([true, before, before]);
  });

  test('fails with the folder of the file when it cannot be written', () => {
    const fd = nextDescriptor();
    const spill = filedSpill();
    closeSync(fd);
    const write = (): number => spill.append(POSITIONS);
    expect(write).toThrow(CallError);
    expect(write).toThrow(tmpdir());
  });

  test('takes pieces that reach over the end of its memory', () => {
    const spill = new Spill();
    spill.append(POSITIONS, 0, MIB + 8);
    expect(spill.append(POSITIONS, MIB + 8)).toBe(MIB + 8);
    expect(spill.append(POSITIONS)).toBe(5 * MIB);
    const read = [0, MIB, IN_MEMORY - 8, IN_MEMORY, 5 * MIB, 2 * IN_MEMORY - 8, 10 * MIB - 8].map((place) =>
      spill.read(place, 8).toString(),
    );
    const positions = [0, MIB, IN_MEMORY - 8, IN_MEMORY, 0, 2 * IN_MEMORY - 8 - 5 * MIB, 5 * MIB - 8];
    expect(read).toEqual(positions.map((position) => String(position).padStart(8, '0')));
    spill.close();
  });

  test('leaves no file behind, not even while it is open', () => {
    const before = new Set(readdirSync(tmpdir()));
    const spill = filedSpill();
    const added = readdirSync(tmpdir()).filter((name) => !before.has(name));
    expect(added.filter((name) => /^webmail-diaglog-[-0-9a-f]{36}$/.test(name))).toEqual([]);
    spill.close();
    spill.close();
  });
});

describe('SentLines', () => {
  /** 5,000 lines of different lengths, some of them empty. */
  const LINES = Array.from({ length: 5000 }, (_, index) =>
    index % 7 === 3 ? '' : `line ${String(index + 1)}`.repeat(1 + (index % 3)),
  );
  const LOG = Buffer.from(LINES.map((line) => `${line}\n`).join(''));
  const STARTS = [0];
  for (const [index, line] of LINES.entries()) STARTS.push((STARTS[index] ?? 0) + line.length + 1);

  test.each<[string, readonly number[]]>([
    ['in order', [1, 2, 3, 1024, 1025, 1026, 2048, 2049, 4999, 5000]],
    ['backwards', [5000, 2050, 2049, 2048, 2047, 1026, 1025, 1024, 2, 1]],
    ['to and fro', [3000, 1, 4000, 1500, 1499, 1501, 5000, 1025, 1024, 1024, 2]],
    ['far at once', [4097, 4096, 4095, 1, 3073, 3072]],
  ])('reads lines by their numbers, %s', (_what, numbers) => {
    const lines = new SentLines(inputOf(LOG, 1000).readAt);
    for (const number of numbers) {
      expect([number, lines.read(number).toString()]).toEqual([number, LINES[number - 1]]);
      expect(lines.positionOf(number)).toBe(STARTS[number - 1]);
    }
  });

  test('reads lines in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 30 }), (numbers) => {
        const lines = new SentLines(inputOf(LOG).readAt);
        for (const number of numbers) expect(lines.positionOf(number)).toBe(STARTS[number - 1]);
      }),
    );
  });

  test('knows the end of the log as the place behind the last LF, and no line beyond', () => {
    const lines = new SentLines(inputOf(LOG).readAt);
    expect(lines.positionOf(5001)).toBe(LOG.length);
    expect(lines.positionOf(5002)).toBeUndefined();
    expect(lines.positionOf(7000)).toBeUndefined();
    expect(lines.positionOf(2)).toBe(STARTS[1]);
    const whole = new SentLines(inputOf(Buffer.from('a\nbc')).readAt);
    expect([whole.read(2).toString(), whole.positionOf(3)]).toEqual(['bc', undefined]);
  });

  test('reads nothing before a line is asked for, and goes on from the line at hand', () => {
    const { readAt, asked } = inputOf(Buffer.concat([LOG, POSITIONS.subarray(0, AHEAD), LOG]));
    const lines = new SentLines(readAt);
    expect(asked).toEqual([]);
    lines.positionOf(5000);
    const once = asked.length;
    lines.positionOf(5001);
    lines.positionOf(5000);
    expect(asked).toHaveLength(once);
  });
});

describe('SentLog', () => {
  const TEXT = Array.from({ length: 9000 }, (_, index) => `line ${String(index + 1)}\n`).join('');

  async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const pieces: string[] = [];
    for await (const chunk of chunks) pieces.push(Buffer.from(chunk).toString('latin1'));
    return pieces.join('');
  }

  describe.each([
    ['a file', false],
    ['a pipe', true],
  ])('of %s', (_what, isPipe) => {
    test.each<[string, number, number, string]>([
      ['all', 1, 9001, TEXT],
      ['the lines from one up to another', 2, 4, 'line 2\nline 3\n'],
      ['the last lines', 8999, 9001, 'line 8999\nline 9000\n'],
      ['lines beyond the end', 9000, 20_000, 'line 9000\n'],
      ['no lines', 9001, 20_000, ''],
      ['no lines, far beyond the end', 12_000, 20_000, ''],
    ])('reads again %s', async (_range, from, until, expected) => {
      const log = new SentLog(sourceOf('sent.log', TEXT, [5, 70_000], isPipe));
      expect(await textOf(log.read())).toBe(TEXT);
      expect(await textOf(log.readAgain({ from, until }))).toBe(expected);
      expect(log.lines.read(7).toString()).toBe('line 7');
      log.close();
    });
  });

  test('ends where the first reading ended, though the file has grown', async () => {
    const grown = `${TEXT}line 9001\nline`;
    const { readAt } = inputOf(Buffer.from(grown));
    const log = new SentLog({ source: 'sent.log', chunks: [Buffer.from(`${TEXT}li`)], readAt });
    await collect(log.read());
    expect(await textOf(log.readAgain({ from: 9000, until: 10_000 }))).toBe('line 9000\nli');
    expect(log.lines.read(9001).toString()).toBe('li');
  });

  test('ends where the file ends, if that has been cut meanwhile', async () => {
    const { readAt } = inputOf(Buffer.from(TEXT.slice(0, 14)));
    const log = new SentLog({ source: 'sent.log', chunks: [Buffer.from(TEXT)], readAt });
    await collect(log.read());
    expect(await textOf(log.readAgain({ from: 1, until: 20_000 }))).toBe('line 1\nline 2\n');
  });

  test('copies a chunk that is a part of a larger buffer', async () => {
    const bytes = new Uint8Array(Buffer.from('xxab\ncdyy'));
    const log = new SentLog({ source: 'sent.log', chunks: [bytes.subarray(2, 7)] });
    await collect(log.read());
    expect([1, 2].map((line) => log.lines.read(line).toString())).toEqual(['ab', 'cd']);
  });
});

describe('HeldFindings', () => {
  const FOREIGN: ComparisonFinding = { kind: 'foreign', source: 'a.log', line: 1, text: 'x' };

  /** All batches that are held, given back. */
  function taken(findings: readonly ComparisonFinding[], max = Infinity): (readonly ComparisonFinding[])[] {
    const held = new HeldFindings(max);
    for (const finding of findings) held.add(finding);
    const batches = Array.from(held.take());
    held.close();
    return batches;
  }

  test.each<[string, ComparisonFinding]>([
    ['a finding alone', FOREIGN],
    ['a missing record', { ...FOREIGN, kind: 'missing', line: 2 ** 40 }],
    ['an empty text', { ...FOREIGN, kind: 'duplicated', text: '' }],
    ['a name that is not ASCII', { ...FOREIGN, source: 'zażółć/\u{1f600}.log' }],
    ['bytes that are not UTF-8', { ...FOREIGN, kind: 'reordered', text: 'caf\xe9\xff\x00' }],
    [
      'an altered record',
      { kind: 'altered', source: 'b', line: 12, text: 'a\xff', expectedLine: 7, expectedText: 'b\xe9', how: 'target „a“' },
    ],
    ['empty parts', { kind: 'altered', source: '', line: 0, text: '', expectedLine: 0, expectedText: '', how: '' }],
    ['a reason alone', { ...FOREIGN, how: 'a torn line of JSON' }],
  ])('gives back %s as it was', (_what, finding) => {
    expect(taken([finding])).toStrictEqual([[finding]]);
    expect(taken([FOREIGN, finding, FOREIGN]).flat()).toEqual([FOREIGN, finding, FOREIGN]);
  });

  test('gives findings in their order, in batches', () => {
    const findings = Array.from({ length: 600 }, (_, index): ComparisonFinding => ({ ...FOREIGN, line: index }));
    expect(taken(findings).flat()).toEqual(findings);
    expect(taken(findings).map((batch) => batch.length)).toEqual([256, 256, 88]);
    expect(taken(findings.slice(0, 512)).map((batch) => batch.length)).toEqual([256, 256]);
    expect(taken([])).toEqual([]);
  });

  test('holds no more than it may', () => {
    const held = new HeldFindings(2);
    const fullness = [1, 2, 3].map((line) => {
      held.add({ ...FOREIGN, line });
      return held.isFull;
    });
    expect(fullness).toEqual([false, true, true]);
    expect(Array.from(held.take()).flat()).toEqual([FOREIGN, { ...FOREIGN, line: 2 }]);
    expect(new HeldFindings(0).isFull).toBe(true);
    expect(taken([FOREIGN], 0)).toEqual([]);
  });
});
