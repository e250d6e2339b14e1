import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, renameSync, truncateSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { followPath, followStream, type Follower } from '../../src/input/follower.js';
import { makeFolder } from '../support/run.js';
import { simulateWriters, writerSteps } from '../support/simulate-writers.js';

const opened: Follower[] = [];
afterEach(() => {
  for (const follower of opened.splice(0)) follower.close();
});

/** Gives the text that a follower sees at a moment (in ms), and what is left. */
function seen(follower: Follower) {
  opened.push(follower);
  const see = (nowMs = 0): string => {
    const growth = follower.look(nowMs);
    return growth === undefined ? '' : growth.bytes.toString('latin1') + see(nowMs);
  };
  const rest = (): string[] => follower.rest().map(({ bytes }) => bytes.toString('latin1'));
  return { follower, see, rest };
}

/** Follows a file in a new folder that holds some text. */
function follow(held?: string, from?: 'end') {
  const path = join(makeFolder(), 'app.log');
  if (held !== undefined) writeFileSync(path, held);
  return { path, ...seen(followPath(path, from)) };
}

describe('followPath', () => {
  test('waits for a file that does not exist, or was removed, and reads what it holds and what comes', () => {
    const { path, follower, see } = follow();
    expect([see(), follower.hasAppeared]).toEqual(['', false]);
    for (const name of ['a', 'b']) {
      writeFileSync(path, `${name}\n`);
      expect([see(), follower.hasAppeared]).toEqual([`${name}\n`, true]);
      appendFileSync(path, 'c\n');
      expect(see()).toBe('c\n');
      unlinkSync(path);
      expect(see()).toBe('');
    }
  });

  test('reads a renamed file beside the new one until nothing has come to it for 5 s', () => {
    const { path, follower, see } = follow('a\n');
    const writer = openSync(path, 'a');
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\n');
    writeSync(writer, 'b\n');
    expect(see(1000)).toBe('b\nc\n');
    writeSync(writer, 'd\n');
    appendFileSync(path, 'e\n');
    expect(see(5999)).toBe('d\ne\n');
    writeSync(writer, 'f');
    expect(see(10_998)).toBe('');
    writeSync(writer, '\n');
    expect(see(15_997)).toBe('f\n');
    expect(see(20_997)).toBe('');
    writeSync(writer, 'g\n');
    closeSync(writer);
    expect(see(20_997)).toBe('');
    expect(follower.truncations).toBe(0);
  });

  test('reads several renamed files side by side, and tells which file lines stand in', () => {
    const { path, follower } = follow('a\n');
    const files = [follower.look(0)?.file];
    for (const name of ['1', '2']) {
      renameSync(path, `${path}.${name}`);
      writeFileSync(path, `${name}\n`);
      files.push(follower.look(0)?.file);
    }
    expect(new Set(files).size).toBe(3);
    appendFileSync(`${path}.1`, 'b\n');
    expect(follower.look(0)).toEqual({ bytes: Buffer.from('b\n'), file: files[0], isOld: true });
  });

  test('stays with a renamed file until another has its name', () => {
    const { path, see } = follow('a\n');
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'b\n');
    expect(see(60_000)).toBe('b\n');
    writeFileSync(path, 'c\n');
    expect(see(60_000)).toBe('c\n');
    appendFileSync(`${path}.1`, 'd\n');
    expect(see(64_999)).toBe('d\n');
  });

  test('gives half a line of a renamed file when that is left, and at the end', () => {
    const { path, see, rest } = follow('a\nb');
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\nd');
    expect(see(1000)).toBe('c\n');
    expect(rest()).toEqual(['b\n', 'd\n']);
    expect(see(6000)).toBe('b\n');
    expect(rest()).toEqual(['d\n']);
  });

  test.each<[what: string, held: string, then: string]>([
    ['smaller', 'aaaa\n', 'b\n'],
    ['as large', 'aaaa\n', 'bbbb\n'],
    ['larger', 'aaaa\n', 'bbbbbbbb\n'],
    ['larger by blocks', 'aaaa\n', `${'b'.repeat(1 << 19)}\n`],
    ['of equal ends', `aaaa\n${'c'.repeat(4000)}\n`, `bbbb\n${'c'.repeat(4000)}\n`],
  ])('begins anew when the file is truncated, and is %s by the next look', (_what, held, then) => {
    const { path, follower, see } = follow(held);
    expect(see()).toBe(held);
    writeFileSync(path, then);
    expect(see()).toBe(then);
    expect(follower.truncations).toBe(1);
    truncateSync(path);
    expect(see()).toBe('');
    expect(follower.truncations).toBe(2);
    appendFileSync(path, 'd\n');
    expect(see()).toBe('d\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'e\n');
    expect([see(0), see(60_000), follower.truncations]).toEqual(['e\n', '', 2]);
  });

  test('a writer that does not append leaves a hole at a truncation, which is no part of its next line', () => {
    const { path, follower, see } = follow('');
    const fd = openSync(path, 'w');
    writeSync(fd, 'aa\nbb\n');
    expect(see()).toBe('aa\nbb\n');
    truncateSync(path);
    writeSync(fd, 'cc\ndd\n');
    closeSync(fd);
    expect(see()).toBe('cc\ndd\n');
    expect(follower.truncations).toBe(1);
  });

  test.each<[rest: string, seen: string]>([
    ['b\nc\n', 'ab\nc\n'],
    ['[b\nc\n', 'a\n[b\nc\n'],
    ['{b\nc\n', 'a\n{b\nc\n'],
    ['2026-03-01T12:00:00.1Z stderr F b\nc\n', 'a\n2026-03-01T12:00:00.1Z stderr F b\nc\n'],
    ['<11>Mar  1 12:00:00 h roundcube: b\nc\n', 'a\n<11>Mar  1 12:00:00 h roundcube: b\nc\n'],
  ])('half a line at a truncation goes on behind it, unless a line begins there: %j', (rest, seen) => {
    for (const isAtOnce of [true, false]) {
      const { path, see, rest: left } = follow('-\na');
      expect(see()).toBe('-\n');
      truncateSync(path);
      if (!isAtOnce) expect(see()).toBe('');
      expect(left()).toEqual(['a\n']);
      for (const byte of rest.slice(0, -1)) appendFileSync(path, byte);
      const first = see();
      appendFileSync(path, rest.slice(-1));
      expect(first + see()).toBe(seen);
    }
  });

  test('refuses a file that is compressed, from its end too, and a folder', () => {
    const { path, see } = follow();
    writeFileSync(path, gzipSync('a\n'));
    expect(see).toThrow(/compressed/);
    expect(() => followPath(path, 'end')).toThrow(/compressed/);
    const folder = followPath(makeFolder());
    opened.push(folder);
    expect(() => folder.look(0)).toThrow(/is a folder/);
  });
});

describe('followPath, from the end of a file', () => {
  test.each([
    ['whole lines', 'a\nb\n', 'c\n'],
    ['half a line, and passes over its rest', 'a\nb', 'bb\nc\n'],
    ['nothing', '', 'c\n'],
    ['what does not exist yet', undefined, 'c\n'],
  ])('that holds %s', (_name, held, more) => {
    const { path, see, rest } = follow(held, 'end');
    expect(see()).toBe('');
    for (const byte of more) appendFileSync(path, byte);
    appendFileSync(path, 'd');
    expect([see(), rest()]).toEqual(['c\n', ['d\n']]);
  });

  test('reads the next file of that name, and a truncated one, from their beginnings', () => {
    const { path, see } = follow('a\nb', 'end');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\n');
    expect(see()).toBe('c\n');
    truncateSync(path);
    expect(see()).toBe('');
    appendFileSync(path, 'd\n');
    expect(see()).toBe('d\n');
  });
});

test('a stream that has ended says so once everything has been given; a last line without LF is its rest', async () => {
  const stream = new PassThrough();
  const { follower, see, rest } = seen(followStream(stream, '<stdin>'));
  stream.write('a\n');
  stream.write('b\nc');
  stream.end('d');
  expect(follower.hasEnded).toBe(false);
  const end = once(stream, 'end');
  expect(see()).toBe('a\nb\n');
  await end;
  expect(rest()).toEqual(['cd\n']);
  expect(follower.hasEnded).toBe(true);
});

test('every line that stands in some file of the name is given once, but for what a truncation may have taken, which is said', async () => {
  await fc.assert(
    fc.asyncProperty(writerSteps, async (steps) => {
      const { path, follower, see, rest } = follow();
      let text = '';
      let number = 0;
      const { lines, atRisk, isTruncated } = await simulateWriters(steps, {
        path,
        nextLine: () => `[${String((number += 1))} ${'x'.repeat(number % 70)}]`,
        onLook: (nowMs) => {
          text += see(nowMs);
        },
      });
      const given = (text + rest().join('')).split('\n').slice(0, -1);
      opened.pop()?.close();
      expect(lines.filter((line) => !given.includes(line) && !atRisk.has(line))).toEqual([]);
      expect(follower.truncations > 0).toBe(isTruncated);
      // Of lines that a truncation has cut, fragments are given.
      const known = given.filter((line) => lines.includes(line));
      if (atRisk.size === 0) expect(known).toEqual(given);
      expect(new Set(known).size).toBe(known.length);
    }),
    { numRuns: 100 },
  );
});
