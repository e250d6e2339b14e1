import { once } from 'node:events';
import { appendFileSync, renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { FileFollower, StreamFollower } from '../../src/input/follower.js';
import { makeFolder } from '../support/run.js';

const opened: FileFollower[] = [];
afterEach(() => {
  for (const follower of opened.splice(0)) follower.close();
});

/** A follower of a file in a new folder that holds some text, and what it sees in more looks than find the next file of that name. */
function follow({ held, from }: { readonly held?: string | undefined; readonly from?: 'end' } = {}) {
  const path = join(makeFolder(), 'app.log');
  if (held !== undefined) writeFileSync(path, held);
  const follower = new FileFollower(path, from);
  opened.push(follower);
  const see = (): string => Array.from({ length: 14 }, () => follower.look()?.toString('latin1') ?? '').join('');
  return { path, follower, see };
}

describe('FileFollower', () => {
  test('waits for a file that does not exist, and reads what it holds and what comes', () => {
    const { path, see } = follow();
    expect(see()).toBe('');
    writeFileSync(path, 'a\n');
    expect(see()).toBe('a\n');
    appendFileSync(path, 'b\n');
    expect(see()).toBe('b\n');
    expect(see()).toBe('');
  });

  test('goes on in the new file when the old one was renamed, after what was written to the old one meanwhile', () => {
    const { path, see } = follow({ held: 'a\n' });
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\n');
    appendFileSync(`${path}.1`, 'b\n');
    expect(see()).toBe('b\nc\n');
    appendFileSync(path, 'd\n');
    expect(see()).toBe('d\n');
  });

  test('stays with a renamed file until another has its name', () => {
    const { path, see } = follow({ held: 'a\n' });
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'b\n');
    expect(see()).toBe('b\n');
    writeFileSync(path, 'c\n');
    expect(see()).toBe('c\n');
  });

  test('ends half a line of a renamed file where the next file begins', () => {
    const { path, follower, see } = follow({ held: 'a\nb' });
    expect(see()).toBe('a\nb');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\n');
    expect(follower.isBehind).toBe(true);
    expect(see()).toBe('\nc\n');
    expect(follower.isBehind).toBe(false);
  });

  test('begins anew when the file is truncated', () => {
    const { path, see } = follow({ held: 'aaaa\n' });
    expect(see()).toBe('aaaa\n');
    truncateSync(path);
    appendFileSync(path, 'b\n');
    expect(see()).toBe('b\n');
  });

  test('survives the removal of the file', () => {
    const { path, see } = follow({ held: 'a\n' });
    expect(see()).toBe('a\n');
    unlinkSync(path);
    expect(see()).toBe('');
    writeFileSync(path, 'b\n');
    expect(see()).toBe('b\n');
  });

  test('refuses a file that is compressed, from its end too, and a folder', () => {
    const { path, see } = follow();
    writeFileSync(path, gzipSync('a\n'));
    expect(see).toThrow(/compressed/);
    expect(() => new FileFollower(path, 'end')).toThrow(/compressed/);
    const folder = new FileFollower(makeFolder());
    opened.push(folder);
    expect(() => folder.look()).toThrow(/is a folder/);
  });
});

describe('FileFollower, from the end of a file', () => {
  test.each([
    ['whole lines', 'a\nb\n', 'c\n'],
    ['half a line, and passes over its rest', 'a\nb', 'bb\nc\n'],
    ['nothing', '', 'c\n'],
    ['what does not exist yet', undefined, 'c\n'],
  ])('that holds %s', (_name, held, more) => {
    const { path, see } = follow({ held, from: 'end' });
    expect(see()).toBe('');
    appendFileSync(path, more);
    expect(see()).toBe('c\n');
  });

  test('passes over the rest of a half line in several pieces', () => {
    const { path, see } = follow({ held: 'a', from: 'end' });
    appendFileSync(path, 'bc');
    expect(see()).toBe('');
    appendFileSync(path, 'd\ne');
    expect(see()).toBe('e');
  });

  test('reads the next file of that name, and a truncated one, from their beginnings', () => {
    const { path, see } = follow({ held: 'a\nb', from: 'end' });
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\n');
    expect(see()).toBe('c\n');
    truncateSync(path);
    expect(see()).toBe('');
    appendFileSync(path, 'd\n');
    expect(see()).toBe('d\n');
  });
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
