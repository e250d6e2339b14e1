import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { FileFollower } from '../../src/input/file-follower.js';
import { StreamFollower } from '../../src/input/stream-follower.js';
import { makeFolder } from '../support/run.js';

/** So many looks find nothing before the next file of that name is opened. */
const MANY_LOOKS = 12;

/** What many looks give, as one text. */
function lookOn(follower: FileFollower): string {
  let text = '';
  for (let count = 0; count < MANY_LOOKS; count += 1) text += follower.look()?.toString('latin1') ?? '';
  return text;
}

/** A follower of a file that holds some text. */
function follow(held: string | undefined, from?: 'end') {
  const path = join(makeFolder(), 'log');
  if (held !== undefined) writeFileSync(path, held);
  return { path, follower: new FileFollower(path, from) };
}

test.each([
  ['whole lines', 'a\nb\n', 'c\n'],
  ['half a line, and passes over its rest', 'a\nb', 'bb\nc\n'],
  ['nothing', '', 'c\n'],
  ['what does not exist yet', undefined, 'c\n'],
])('a follower from the end of a file that holds %s', (_name, held, more) => {
  const { path, follower } = follow(held, 'end');
  expect(lookOn(follower)).toBe('');
  appendFileSync(path, more);
  expect(lookOn(follower)).toBe('c\n');
  follower.close();
});

test('the rest of a half line may come in several pieces', () => {
  const { path, follower } = follow('a', 'end');
  appendFileSync(path, 'bc');
  expect(lookOn(follower)).toBe('');
  appendFileSync(path, 'd\ne');
  expect(lookOn(follower)).toBe('e');
  follower.close();
});

test('half a line of a file that was renamed is a line of its own', () => {
  const { path, follower } = follow('a\nb');
  expect(lookOn(follower)).toBe('a\nb');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'c\n');
  expect(follower.isBehind).toBe(true);
  expect(lookOn(follower)).toBe('\nc\n');
  expect(follower.isBehind).toBe(false);
  follower.close();
});

test('a follower from the end reads the next file of that name, and a truncated one, from their beginnings', () => {
  const { path, follower } = follow('a\nb', 'end');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'c\n');
  expect(lookOn(follower)).toBe('c\n');
  truncateSync(path);
  expect(lookOn(follower)).toBe('');
  appendFileSync(path, 'd\n');
  expect(lookOn(follower)).toBe('d\n');
  follower.close();
});

test('a compressed file is refused, from its end too', () => {
  const path = join(makeFolder(), 'log');
  writeFileSync(path, Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0));
  expect(() => new FileFollower(path, 'end')).toThrow('log: ');
});

test('a stream that has ended says so once everything has been given', async () => {
  const stream = new PassThrough();
  const follower = new StreamFollower(stream, '<stdin>');
  stream.write('a\n');
  stream.end('b\n');
  expect(follower.hasEnded).toBe(false);
  const end = once(stream, 'end');
  let text = '';
  for (let bytes = follower.look(); bytes !== undefined; bytes = follower.look()) text += bytes.toString('latin1');
  await end;
  expect(text).toBe('a\nb\n');
  expect(follower.hasEnded).toBe(true);
});
