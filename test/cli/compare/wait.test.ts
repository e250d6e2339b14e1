import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readlinkSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { formatOutstanding } from '../../../src/cli/received.js';
import { call, expectRefused } from '../../support/call.js';
import { makeFolder, outcome, refused, startRun } from '../../support/run.js';
import { GROUP } from '../../support/records.js';
import { until } from '../../support/until.js';

/** True once a process has opened a file. */
function hasOpened(pid: number | undefined, path: string): boolean {
  const folder = `/proc/${String(pid)}/fd`;
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(join(folder, fd)) === path;
    } catch {
      return false;
    }
  });
}

describe('compare --wait', () => {
  test('says how long records took from one file to the other', async () => {
    const cwd = makeFolder();
    const child = startRun('compare --wait 1s --json sent.log received.log', { cwd });
    const ended = outcome(child);
    writeFileSync(join(cwd, 'sent.log'), 'a\n');
    await until(() => hasOpened(child.pid, join(cwd, 'sent.log')));
    appendFileSync(join(cwd, 'sent.log'), 'b\nc');
    writeFileSync(join(cwd, 'new.log'), 'a\nb\nc');
    renameSync(join(cwd, 'new.log'), join(cwd, 'received.log'));
    appendFileSync(join(cwd, 'sent.log'), '\n');
    appendFileSync(join(cwd, 'received.log'), '\n');
    const { exit, stdout } = await ended;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ records_sent: 3, records_delivered: 3, latency_ms: { resolution: 20 } });
  });

  test('ends when nothing new has come for the duration, and says if nothing came at all', async () => {
    const cwd = makeFolder({ 'sent.log': 'a\nb\nc', 'received.log': 'a\nc' });
    expect(await call('compare --wait 300ms sent.log received.log', { cwd })).toEqual({
      exit: 1,
      stdout: 'sent.log:2: missing: "b"\nsent.log: 2 of 3 records delivered (66.67 %): 1 missing\n',
      stderr: 'webmail-diaglog: nothing new came within 300 ms; compared what the files held\n',
    });
  });

  test('ends though an input is a FIFO that nobody writes: after the duration, and at a signal', async () => {
    const cwd = makeFolder({ 'sent.log': 'a\n' });
    execFileSync('mkfifo', ['fifo'], { cwd });
    const { exit, stdout } = await call('compare --wait 300ms sent.log fifo', { cwd });
    expect({ exit, stdout }).toEqual({
      exit: 1,
      stdout: 'sent.log:1: missing: "a"\nsent.log: 0 of 1 record delivered (0 %): 1 missing\n',
    });
    const child = startRun('compare --wait 50s sent.log fifo', { cwd });
    const ended = outcome(child);
    await until(() => hasOpened(child.pid, join(cwd, 'fifo')));
    child.kill('SIGTERM');
    expect((await ended).exit).toBe('SIGTERM');
  });

  test.each(['sent.log', 'received.log', './sent.log', 'later.log'])('refuses an output that is an input: %s', async (output) => {
    const cwd = makeFolder({ 'sent.log': 'a\n', 'received.log': 'a\n' });
    await expectRefused('compare --wait 300ms sent.log received.log later.log', cwd, {
      [`-o ${output}`]: `${output}: the output is the input file; name another file`,
    });
    expect(existsSync(join(cwd, 'later.log'))).toBe(false);
  });

  test('SIGINT gives the report of what came, then ends the process', async () => {
    const cwd = makeFolder({ 'sent.log': 'a\n' });
    const child = startRun('compare --wait 50s sent.log received.log', { cwd });
    const ended = outcome(child);
    await until(() => hasOpened(child.pid, join(cwd, 'sent.log')));
    expect(existsSync(join(cwd, 'received.log'))).toBe(false);
    child.kill('SIGINT');
    expect(await ended).toEqual({
      exit: 'SIGINT',
      stdout: 'sent.log:1: missing: "a"\nsent.log: 0 of 1 record delivered (0 %): 1 missing\n',
      stderr:
        'webmail-diaglog: received.log: does not exist yet; it is waited for\n' +
        'webmail-diaglog: ended by SIGINT (1 finding written)\n',
    });
  });

  test.each<[string, string[], { exit: number; stdout: string; stderr: string }]>([
    [
      'an expected file that never appears',
      ['nosuch1', 'nosuch2'],
      {
        exit: 2,
        stdout: 'nosuch1: no record was sent\n',
        stderr:
          'webmail-diaglog: nosuch1: does not exist yet; it is waited for\n' +
          'webmail-diaglog: nosuch2: does not exist yet; it is waited for\n' +
          'webmail-diaglog: nosuch2: did not appear within 300 ms; check its name\n' +
          'webmail-diaglog: nosuch1: did not appear within 300 ms; check its name\n',
      },
    ],
    [
      'a received file that never appears',
      ['sent.log', 'nosuch2'],
      {
        exit: 1,
        stdout: 'sent.log:1: missing: "a"\nsent.log: 0 of 1 record delivered (0 %): 1 missing\n',
        stderr:
          'webmail-diaglog: nosuch2: does not exist yet; it is waited for\n' +
          'webmail-diaglog: nosuch2: did not appear within 300 ms; check its name\n' +
          'webmail-diaglog: nothing new came within 300 ms; compared what the files held\n',
      },
    ],
  ])('names %s', async (_what, files, expected) => {
    const cwd = makeFolder({ 'sent.log': 'a\n' });
    const { stdout, ...rest } = await call(['compare', '--wait', '300ms', ...files], { cwd });
    expect({ ...rest, stdout: stdout.replace(/; records took .*/, '') }).toEqual(expected);
  });

  test.each([
    ['gzip', '', gzipSync('a\n'), 'it is gzip-compressed and cannot be followed; name the log as it is written'],
    [
      'inputs of which none is in the envelope that is named',
      '--envelope cri',
      GROUP,
      'neither its first record nor that of a received input is in the envelope cri; name the envelope of one of them, or leave out --envelope',
    ],
  ])('refuses %s, without waiting for the end', async (_what, option, log, message) => {
    const cwd = makeFolder({ 'sent.log': log });
    const result = await call(`compare --wait 1h ${option} sent.log sent.log`, { cwd });
    expect(result).toEqual(refused(`sent.log: ${message} (0 findings written)`, 1));
  });
});

test('a terminal shows what is outstanding, and for how long', () => {
  expect(formatOutstanding({ outstanding: 1200, oldestMs: 3999 })).toBe('1,200 outstanding, the oldest for 3 s');
  expect(formatOutstanding({ outstanding: 0, oldestMs: 0 })).toBe('0 outstanding');
});
