import { appendFileSync, chmodSync, closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CallError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { endHalfRecord, openLogFile } from '../../src/output/log-file.js';
import { asOrdinaryUser } from '../support/ordinary-user.js';
import { makeFolder } from '../support/run.js';

const SECOND = 1_747_562_400;
const GROUP = formatGroup({ millisecond: SECOND * 1000, method: 'GET', target: '/mail/' }, createDeployment());
const NEVER = new AbortController().signal;

/** Runs work on a file with some content, and gives its result and the file's content after it. */
async function onFile<T>(content: string, work: (fd: number, path: string) => Promise<T>): Promise<{ result: T; after: string }> {
  const path = join(makeFolder(), 'error.log');
  writeFileSync(path, content, 'latin1');
  const fd = openSync(path, 'a+');
  try {
    return { result: await work(fd, path), after: readFileSync(path, 'latin1') };
  } finally {
    closeSync(fd);
  }
}

describe('endHalfRecord', () => {
  test.each([
    ['an empty file', '', false, ''],
    ['a whole file', GROUP, false, GROUP],
    ['a torn file', GROUP.slice(0, 1000), true, `${GROUP.slice(0, 1000)}\n`],
  ])('%s', async (_what, content, mended, after) => {
    expect(await onFile(content, (fd) => endHalfRecord(fd))).toEqual({ result: mended, after });
  });

  test.each([
    ['ends', GROUP.slice(1000)],
    ['goes on with, in the middle of a write at each look', GROUP.slice(1000) + GROUP.slice(0, 500)],
  ])('leaves half a record alone that another appender %s meanwhile', async (_what, appended) => {
    const result = await onFile(GROUP.slice(0, 1000), async (fd, path) => {
      const ending = endHalfRecord(fd);
      appendFileSync(path, appended, 'latin1');
      return ending;
    });
    expect(result).toEqual({ result: false, after: GROUP.slice(0, 1000) + appended });
  });
});

describe('openLogFile', () => {
  test.each([
    ['a folder', '.', 'is a folder; name a file'],
    ['a file in no folder', 'no/where.log', 'its folder does not exist; make the folder, or check the path'],
  ])('refuses %s', async (_what, name, message) => {
    const folder = makeFolder();
    await expect(openLogFile(join(folder, name), [], NEVER)).rejects.toThrow(message);
  });

  test.each(['input', 'deployment', 'targets'] as const)('refuses any file that is read: the %s file', async (role) => {
    await onFile(GROUP, async (_fd, path) => {
      const other = { stats: statSync('.'), role: 'input' } as const;
      const opening = openLogFile(path, [other, { stats: statSync(path), role }, other], NEVER);
      await expect(opening).rejects.toThrow(CallError);
      await expect(opening).rejects.toThrow(`${path}: the output is the ${role} file; name another file`);
    });
  });

  test.each([
    ['read, refused', 0o444, 'permission denied; check who owns it and its mode'],
    ['written, appended to as it is', 0o222, undefined],
  ])('a file that may only be %s', async (_what, mode, refusal) => {
    const folder = makeFolder();
    const path = join(folder, 'error.log');
    writeFileSync(path, GROUP);
    chmodSync(folder, 0o755);
    chmodSync(path, mode);
    const error = await asOrdinaryUser(async () => {
      try {
        const fd = await openLogFile(path, [], NEVER);
        expect(await endHalfRecord(fd)).toBe(false);
        closeSync(fd);
        return undefined;
      } catch (refused) {
        return refused instanceof CallError ? `${refused.problem}; ${refused.remedy}` : refused;
      }
    });
    expect(error).toBe(refusal);
  });
});
