import { appendFileSync, renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { FileFollower } from '../../src/input/file-follower.js';
import { makeFolder } from '../support/run.js';

const opened: FileFollower[] = [];
afterEach(() => {
  for (const follower of opened.splice(0)) follower.close();
});

/** A follower of a file in a new folder, and what it sees in so many looks. */
function follow(): { path: string; see: (looks?: number) => string } {
  const path = join(makeFolder(), 'app.log');
  const follower = new FileFollower(path);
  opened.push(follower);
  return {
    path,
    see: (looks = 30) => {
      let seen = '';
      for (let look = 0; look < looks; look += 1) seen += follower.look()?.toString('latin1') ?? '';
      return seen;
    },
  };
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
    const { path, see } = follow();
    writeFileSync(path, 'a\n');
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'c\n');
    appendFileSync(`${path}.1`, 'b\n');
    expect(see()).toBe('b\nc\n');
    appendFileSync(path, 'd\n');
    expect(see()).toBe('d\n');
  });

  test('stays with a renamed file until another has its name', () => {
    const { path, see } = follow();
    writeFileSync(path, 'a\n');
    expect(see()).toBe('a\n');
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'b\n');
    expect(see()).toBe('b\n');
    writeFileSync(path, 'c\n');
    expect(see()).toBe('c\n');
  });

  test('begins anew when the file is truncated', () => {
    const { path, see } = follow();
    writeFileSync(path, 'aaaa\n');
    expect(see()).toBe('aaaa\n');
    truncateSync(path);
    appendFileSync(path, 'b\n');
    expect(see()).toBe('b\n');
  });

  test('survives the removal of the file', () => {
    const { path, see } = follow();
    writeFileSync(path, 'a\n');
    expect(see()).toBe('a\n');
    unlinkSync(path);
    expect(see()).toBe('');
    writeFileSync(path, 'b\n');
    expect(see()).toBe('b\n');
  });

  test('refuses a file that is compressed, and a folder', () => {
    const { path, see } = follow();
    writeFileSync(path, gzipSync('a\n'));
    expect(() => see()).toThrow(/compressed/);
    const folder = new FileFollower(makeFolder());
    opened.push(folder);
    expect(() => folder.look()).toThrow(/is a folder/);
  });
});
