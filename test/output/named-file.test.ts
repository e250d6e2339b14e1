import { appendFileSync, chmodSync, closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CallError } from '../../src/errors.js';
import { MAX_RECORD_BYTES } from '../../src/log/record.js';
import { openDestination } from '../../src/output/open-destination.js';
import { openLog, QUIET, takeSteps } from '../support/opened-log.js';
import { asOrdinaryUser } from '../support/ordinary-user.js';
import { groupFor, packetOf } from '../support/packets.js';
import { groupAt, SECOND } from '../support/records.js';
import { makeFolder } from '../support/run.js';

const packetFor = (target: string) => packetOf(groupFor(target).trimEnd());

const GROUP = groupFor('/mail/');
const TAIL = groupFor('/torn').slice(0, 700);
const TORN = { before: { 'error.log': TAIL } };
const ENDED = 'error.log: the file ended in half a record; a line feed was added';

describe('a log that is reopened', () => {
  test('goes on in the file that has its name now, which is made if there is none', async () => {
    const opened = await openLog();
    const [first, second] = ['$ mv error.log error.log.1', '$ mv error.log error.log.2'];
    const steps = ['a', first, 'b', 'SIGHUP', '$ test ! -s error.log', 'c', second, 'd', 'SIGHUP', 'e'];
    expect(await takeSteps(opened, steps)).toEqual(['c d', 'a b', 'e']);
    expect({ groups: opened.log.written, warnings: opened.warnings }).toEqual({ groups: 5, warnings: [] });
  });

  test('the write at hand ends in the file that it began in', async () => {
    const { log, path, warnings, read } = await openLog(TORN);
    // It waits, to see whether somebody else is writing what the file ends in.
    const writing = log.write(packetFor('/a'));
    renameSync(path, `${path}.1`);
    log.reopen();
    log.reopen();
    await writing;
    await log.write(packetFor('/b'));
    log.close();
    expect(read('error.log.1')).toBe(`${TAIL}\n${groupFor('/a')}`);
    expect(read()).toBe(groupFor('/b'));
    expect(warnings).toEqual([ENDED]);
  });

  test('what is looked for before the first write is looked for in the file that was opened', async () => {
    const { log, path } = await openLog({ before: { 'error.log': groupFor('/a') + 'no record of this log\n'.repeat(10_000) } });
    const finding = log.findLastSecond();
    rmSync(path);
    log.reopen();
    expect(await finding).toBe(1_747_562_400);
    log.close();
  });

  test.each([
    ['a folder', 'mkdir error.log', 'is a folder; name a file'],
    ['a FIFO', 'mkfifo error.log', 'is a FIFO without a reader; start its reader, or name a file'],
    ['the input', 'ln input error.log', 'the output is the input file; name another file'],
  ])('%s in its place is refused, and no group is lost', async (_what, put, message) => {
    const opened = await openLog({ before: { input: '' } });
    const steps = [`$ mv error.log error.log.1; ${put}`, 'SIGHUP', 'a', '$ rm -r error.log', 'SIGHUP', 'b'];
    expect(await takeSteps(opened, steps)).toEqual(['a', 'b']);
    expect(opened.warnings).toEqual([`error.log: ${message} (on SIGHUP; the run goes on in the file that it has open)`]);
    expect(opened.read('input')).toBe('');
  });
});

describe('a log whose path is followed', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'performance', 'Date', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('goes on in the file that has its name within a second, without a signal', async () => {
    const opened = await openLog({ followsPath: true });
    const renamed = ['a', 'LOOK', 'b', '$ mv error.log error.log.1', 'LOOK', 'c'];
    const removed = ['$ rm error.log', 'LOOK', '$ test ! -s error.log', 'd'];
    const replaced = ['$ mv error.log error.log.2; printf torn > error.log', 'LOOK', 'e'];
    expect(await takeSteps(opened, [...renamed, ...removed, ...replaced])).toEqual(['d', 'a b', 'torn e']);
    expect(opened.warnings).toEqual([ENDED]);
  });

  test('goes on in the file that it has while its path cannot be opened, and says so once', async () => {
    const opened = await openLog({ followsPath: true });
    const steps = ['$ mv error.log error.log.1; mkdir error.log', 'LOOK', 'LOOK', 'a', '$ rmdir error.log', 'LOOK', 'b'];
    expect(await takeSteps(opened, steps)).toEqual(['a', 'b']);
    expect(opened.warnings).toEqual([
      'error.log: is a folder; name a file (found by a look at its path; the run goes on in the file that it has open)',
    ]);
  });

  test('is not followed by a run that does not write in real time', async () => {
    const opened = await openLog();
    expect(await takeSteps(opened, ['$ mv error.log error.log.1', 'LOOK', 'a'])).toEqual(['a']);
  });
});

test('a file that never had a name is none that was removed', async () => {
  const path = join(makeFolder(), 'error.log');
  const fd = openSync(path, 'a+');
  rmSync(path);
  const log = await openDestination(`/dev/fd/${String(fd)}`, QUIET);
  await log.write(packetFor('/a'));
  log.close();
  expect(readFileSync(fd, 'latin1')).toBe(groupFor('/a'));
  closeSync(fd);
});

test('a log that was removed is said once when it is reopened, and when a run ends before its end', async () => {
  const { log, path, warnings } = await openLog();
  const gone = 'error.log: the file was removed during the run; what is written is lost until SIGHUP creates the file anew';
  await log.write(packetFor('/a'));
  log.close(new Error('failed'));
  expect(warnings).toEqual([]);
  rmSync(path);
  log.reopen();
  await log.write(packetFor('/b'));
  expect(readFileSync(path, 'latin1')).toBe(groupFor('/b'));
  expect(warnings).toEqual([gone]);
  rmSync(path);
  log.close(new Error('failed'));
  expect(warnings).toEqual([gone, gone]);
});

describe('the last load failure of a file', () => {
  const foreign = '[21-Nov-2026 08:39:19 +0100]: <8098d78c> IMAP Error: Login failed (POST /mail/)\n';
  const long = groupAt(SECOND + 5, `/${'x'.repeat(200_000)}`);
  const [record = ''] = groupAt(SECOND + 5, '/').split('\n');
  /** A load-failure record of so many bytes, and its LF. */
  const recordOf = (bytes: number): string => `${record.replace('GET /', `GET /${'x'.repeat(bytes - record.length)}`)}\n`;

  test.each([
    ['the longest record', GROUP + recordOf(MAX_RECORD_BYTES), SECOND + 5],
    ['a line that is longer', GROUP + recordOf(MAX_RECORD_BYTES + 1), SECOND],
    ['a file without one', foreign.repeat(3000), undefined],
    ['one group', GROUP, SECOND],
    ['foreign records behind it', GROUP + foreign.repeat(3000), SECOND],
    ['one that is cut short behind it', GROUP + long.slice(0, 1000), SECOND],
    ['records longer than a block', GROUP + long, SECOND + 5],
    ['a line that is too long for a record behind it', `${GROUP}${'x'.repeat(9 << 20)}\n`, SECOND],
    ['a line that is too long and nothing else', 'x'.repeat(5 << 20), undefined],
    ['lines of one byte', GROUP + 'x\n'.repeat(100_000), SECOND],
  ])('in %s', async (_what, content, expected) => {
    const { log } = await openLog({ before: { 'error.log': content } });
    expect(await log.findLastSecond()).toBe(expected);
    log.close();
  });
});

describe('a log that is opened', () => {
  test.each([
    ['ends', groupFor('/torn').slice(700)],
    ['goes on with, in the middle of a write at each look', groupFor('/torn').slice(700) + TAIL],
  ])('leaves half a record alone that another appender %s meanwhile', async (_what, appended) => {
    const { log, path, read, warnings } = await openLog(TORN);
    const writing = log.write(packetFor('/a'));
    appendFileSync(path, appended, 'latin1');
    await writing;
    log.close();
    expect({ content: read(), warnings }).toEqual({ content: TAIL + appended + groupFor('/a'), warnings: [] });
  });

  test('takes packets of 1 MiB, and of what a pipe holds if it is a device, which is not reopened', async () => {
    const warnings: string[] = [];
    const { log } = await openLog();
    const device = await openDestination('/dev/null', { ...QUIET, warn: (message) => warnings.push(message) });
    expect([log, device].map(({ packetBytes }) => packetBytes)).toEqual([1 << 20, 65_536]);
    device.reopen();
    await device.write(packetFor('/a'));
    for (const output of [log, device]) output.close();
    expect(warnings).toEqual([]);
  });

  test.each([
    ['a folder', '.', 'is a folder; name a file'],
    ['in no folder', 'no/where.log', 'its folder does not exist; make the folder, or check the path'],
    ['a file that is used otherwise', 'used', 'the output is the targets file; name another file'],
  ])('is refused: %s', async (_what, name, message) => {
    const folder = makeFolder({ used: '' });
    const path = join(folder, name);
    const usedFiles = [
      { stats: statSync('.'), role: 'input' },
      { stats: statSync(join(folder, 'used')), role: 'targets' },
    ] as const;
    await expect(openDestination(path, { ...QUIET, usedFiles })).rejects.toThrow(`${path}: ${message}`);
  });

  test.each([
    ['read, refused', 0o444, 'permission denied; check who owns it and its mode'],
    ['written, appended to as it is', 0o222, `${TAIL}${GROUP}`],
  ])('may only be %s', async (_what, mode, expected) => {
    const folder = makeFolder({ 'error.log': TAIL });
    const path = join(folder, 'error.log');
    chmodSync(folder, 0o755);
    chmodSync(path, mode);
    const result = await asOrdinaryUser(async () => {
      try {
        const log = await openDestination(path, QUIET);
        await log.write(packetFor('/mail/'));
        log.close();
        return undefined;
      } catch (error) {
        return error instanceof CallError ? `${error.problem}; ${error.remedy}` : error;
      }
    });
    expect(result ?? readFileSync(path, 'latin1')).toBe(expected);
  });

  test('says what refuses a write, and how many groups stand', async () => {
    const full = await openDestination('/dev/full', QUIET);
    await expect(full.write(packetFor('/a'))).rejects.toThrow('/dev/full: no space left on the device; free some space');
    expect(full.written).toBe(0);
    full.close(new Error('failed'));
  });
});
