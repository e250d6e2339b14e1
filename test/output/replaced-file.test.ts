import { chmodSync, linkSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openReplacedFile, type ReplacedFile } from '../../src/output/replaced-file.js';
import type { UsedFile } from '../../src/output/log-file.js';
import { QUIET } from '../support/opened-log.js';
import { asOrdinaryUser } from '../support/ordinary-user.js';
import { makeFolder } from '../support/run.js';

const open = (path: string, usedFiles: readonly UsedFile[] = []): Promise<ReplacedFile> =>
  openReplacedFile(path, { ...QUIET, usedFiles }, () => undefined);

/** A new folder with a file in it. */
const makeFile = (content: string): string => {
  const path = join(makeFolder(), 'page.html');
  writeFileSync(path, content);
  return path;
};

describe('openReplacedFile', () => {
  test('a file that is not there is made', async () => {
    const path = join(makeFolder(), 'page.html');
    const file = await open(path);
    await file.write('ż\n');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('ż\n');
    expect(readdirSync(dirname(path))).toEqual(['page.html']);
  });

  test('a file keeps its content until it is written, then has the new content alone, and its mode', async () => {
    const path = makeFile('a long content\n');
    chmodSync(path, 0o604);
    const reader = `${path}.link`;
    linkSync(path, reader);
    const file = await open(path);
    expect(readFileSync(path, 'utf8')).toBe('a long content\n');
    await file.write('new\n');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(statSync(path).mode & 0o777).toBe(0o604);
    // Another name still leads to the old file: no reader sees half of the new one.
    expect(readFileSync(reader, 'utf8')).toBe('a long content\n');
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['page.html', 'page.html.link']);
  });

  test('a file that is closed unwritten is unchanged, and nothing is left beside it', async () => {
    const path = makeFile('old\n');
    (await open(path)).close();
    (await open(`${path}.new`)).close();
    expect(readFileSync(path, 'utf8')).toBe('old\n');
    expect(readdirSync(dirname(path))).toEqual(['page.html']);
  });

  test('a symbolic link to a file stays one, through further links', async () => {
    const [folder, other] = [makeFolder(), makeFolder()];
    writeFileSync(join(other, 'march.html'), 'old\n');
    symlinkSync('march.html', join(other, 'latest.html'));
    symlinkSync(other, join(folder, 'pages'));
    symlinkSync('pages/latest.html', join(folder, 'link.html'));
    const file = await open(join(folder, 'link.html'));
    await file.write('new\n');
    file.close();
    expect(lstatSync(join(folder, 'link.html')).isSymbolicLink()).toBe(true);
    expect(readdirSync(other).toSorted()).toEqual(['latest.html', 'march.html']);
    expect(readFileSync(join(other, 'march.html'), 'utf8')).toBe('new\n');
  });

  test('a device is written to', async () => {
    const file = await open('/dev/null');
    await file.write('new\n');
    file.close();
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test.each(['input', 'report'] as const)('the %s file is refused, by whatever name', async (role) => {
    const path = makeFile('log\n');
    linkSync(path, `${path}.link`);
    await expect(open(`${path}.link`, [{ stats: statSync(path), role }])).rejects.toThrow(
      `${path}.link: the output is the ${role} file; name another file`,
    );
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['page.html', 'page.html.link']);
  });

  test('a folder that is not there, and a folder in place of the file', async () => {
    const folder = makeFolder();
    const missing = join(folder, 'none', 'page.html');
    await expect(open(missing)).rejects.toThrow(`${missing}: its folder does not exist; make the folder, or check the path`);
    await expect(open(folder)).rejects.toThrow(`${folder}: is a folder; name a file`);
    await expect(open('tcp://h:1')).rejects.toThrow('tcp://h:1: a socket cannot be written to here; name a file');
  });

  test('a folder that may not be written is refused at once', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o555);
    const path = join(folder, 'page.html');
    await expect(asOrdinaryUser(() => open(path))).rejects.toThrow(`${path}: permission denied; check who owns it and its mode`);
  });

  test('a write that fails names the file, not what is written beside it', async () => {
    const path = makeFile('old\n');
    const file = await open(path);
    rmSync(dirname(path), { recursive: true });
    await expect(file.write('new\n')).rejects.toThrow(`${path}: its folder does not exist; make the folder, or check the path`);
    file.close();
  });
});
