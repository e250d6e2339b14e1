import { appendFileSync, chmodSync, closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CallError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { formatDescriptor, formatLoadFailure, MAX_RECORD_BYTES } from '../../src/log/record.js';
import { endHalfRecord, findLastLoadFailure, openLogFile } from '../../src/output/log-file.js';
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

describe('findLastLoadFailure', () => {
  const foreign = '[21-Nov-2026 08:39:19 +0100]: <8098d78c> IMAP Error: Login failed (POST /mail/)\n';
  const long = formatGroup(
    { millisecond: SECOND * 1000 + 5000, method: 'GET', target: `/${'x'.repeat(200_000)}` },
    createDeployment(),
  );

  /** A load-failure record of so many bytes, and its LF. */
  const recordOf = (bytes: number): string => {
    const stamp = { timestamp: '18-May-2025 12:00:05', utcOffset: '+0200' };
    const format = (target: string): string =>
      formatLoadFailure(stamp, 'carddav', formatDescriptor('GET', target), createDeployment());
    return `${format('/'.padEnd(bytes - format('/').length + 1, 'x'))}\n`;
  };

  test.each([
    ['an empty file', '', undefined],
    ['the longest record', GROUP + recordOf(MAX_RECORD_BYTES), SECOND + 5],
    ['a line that is longer', GROUP + recordOf(MAX_RECORD_BYTES + 1), SECOND],
    ['a file without one', foreign.repeat(3000), undefined],
    ['one group', GROUP, SECOND],
    ['foreign records behind it', GROUP + foreign.repeat(3000), SECOND],
    ['one that is cut short behind it', GROUP + long.slice(0, 1000), SECOND],
    ['records longer than a block', GROUP + long, SECOND + 5],
    ['a line that is too long for a record behind it', `${GROUP}${'x'.repeat(9 << 20)}\n`, SECOND],
    ['a line that is too long for a record before it', `${'x'.repeat(9 << 20)}\n${GROUP}`, SECOND],
    ['a line that is too long and nothing else', 'x'.repeat(5 << 20), undefined],
    ['lines of one byte', GROUP + 'x\n'.repeat(100_000), SECOND],
  ])('in %s', async (_what, content, expected) => {
    const { result } = await onFile(content, (fd) => findLastLoadFailure(fd, NEVER));
    expect(result).toBe(expected);
  });
});

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
        expect([await findLastLoadFailure(fd, NEVER), await endHalfRecord(fd)]).toEqual([undefined, false]);
        closeSync(fd);
        return undefined;
      } catch (refused) {
        return refused instanceof CallError ? `${refused.problem}; ${refused.remedy}` : refused;
      }
    });
    expect(error).toBe(refusal);
  });
});
