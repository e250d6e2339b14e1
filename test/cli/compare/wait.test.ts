import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readlinkSync,
  readdirSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { arrivalKeys } from '../../../src/compare/arrival-keys.js';
import { Arrivals } from '../../../src/compare/arrivals.js';
import { digestBytes } from '../../../src/compare/digest.js';
import { followDelivery } from '../../../src/compare/follow-delivery.js';
import { FileFollower } from '../../../src/input/file-follower.js';
import { makeFolder, outcome, run, startRun } from '../../support/run.js';
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
  test('follows a copy that comes late, in bursts, over a rename and a truncation', async () => {
    const folder = makeFolder();
    const sent = join(folder, 'sent.log');
    const received = join(folder, 'received.log');
    const steps = [
      () => {
        appendFileSync(sent, 'a\nb\nc');
      },
      () => {
        appendFileSync(received, 'a\nb');
      },
      () => {
        renameSync(received, `${received}.1`);
      },
      () => {
        appendFileSync(`${received}.1`, '\n');
        writeFileSync(received, 'c\n');
        appendFileSync(sent, '\nd\n');
      },
      // logrotate's copytruncate, of the expected log.
      () => {
        copyFileSync(sent, `${sent}.1`);
        truncateSync(sent);
      },
      () => {
        appendFileSync(sent, 'e\n');
        appendFileSync(received, 'd\n');
      },
      () => {
        appendFileSync(received, 'e\n');
      },
    ];
    const kept = { sent: '', received: '' };
    const inputOf = (name: 'sent' | 'received') => {
      const follower = new FileFollower(join(folder, `${name}.log`));
      const keep = (bytes: Buffer): void => {
        kept[name] += bytes.toString('latin1');
      };
      return {
        look: () => follower.look(),
        keep,
        close: () => {
          follower.close();
        },
      };
    };
    const inputs = [inputOf('sent'), inputOf('received')] as const;
    const arrivals = new Arrivals(digestBytes);
    let nowMs = 0;
    // A step is taken between two looks: so each is seen.
    const clock = {
      now: () => nowMs,
      sleep: (delayMs: number) => {
        nowMs += delayMs;
        if (nowMs % 1000 === 0) steps.shift()?.();
        return Promise.resolve();
      },
    };
    const keys = arrivalKeys({ as: 'lines' }, undefined);
    await followDelivery(inputs[0], [inputs[1]], { keys, arrivals, clock, waitMs: 60_000, resolutionMs: 20 });
    for (const { close } of inputs) close();
    expect({ ...kept, isComplete: arrivals.isComplete, nowMs }).toEqual({
      sent: 'a\nb\nc\nd\ne\n',
      received: 'a\nb\nc\nd\ne\n',
      isComplete: true,
      nowMs: 7000,
    });
  });

  test('ends as soon as all has come, and says how long that took', async () => {
    const cwd = makeFolder();
    const child = startRun(['compare', '--wait', '50s', '--json', 'sent.log', 'received.log'], { cwd });
    const ended = outcome(child);
    writeFileSync(join(cwd, 'sent.log'), 'a\n');
    await until(() => hasOpened(child.pid, join(cwd, 'sent.log')));
    appendFileSync(join(cwd, 'sent.log'), 'b\nc');
    writeFileSync(join(cwd, 'new.log'), 'a\nb\nc');
    renameSync(join(cwd, 'new.log'), join(cwd, 'received.log'));
    appendFileSync(join(cwd, 'sent.log'), '\n');
    appendFileSync(join(cwd, 'received.log'), '\n');
    const { exit, stdout, stderr } = await ended;
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ records_sent: 3, records_delivered: 3, latency_ms: { resolution: 20 } });
  });

  test('ends when nothing new has come for so long; at the end a line without LF counts', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'sent.log'), 'a\nb\nc');
    const { exit, stdout } = await run(['compare', '--wait', '300ms', 'sent.log'], { cwd, stdin: 'a\nc' });
    expect({ exit, stdout }).toEqual({
      exit: 1,
      stdout: 'sent.log:2: missing: "b"\nsent.log: 2 of 3 records delivered (66.67 %): 1 missing\n',
    });
  });

  test('SIGINT gives the report of what came, then ends the process', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'sent.log'), 'a\n');
    const child = startRun(['compare', '--wait', '50s', 'sent.log', 'received.log'], { cwd });
    const ended = outcome(child);
    await until(() => hasOpened(child.pid, join(cwd, 'sent.log')));
    expect(existsSync(join(cwd, 'received.log'))).toBe(false);
    child.kill('SIGINT');
    expect(await ended).toEqual({
      exit: 'SIGINT',
      stdout: 'sent.log:1: missing: "a"\nsent.log: 0 of 1 record delivered (0 %): 1 missing\n',
      stderr: 'webmail-diaglog: ended by SIGINT (1 finding written)\n',
    });
  });

  test.each<[string, string[], { exit: number; stdout: string; stderr: string }]>([
    [
      'an expected file that never appears',
      ['nosuch1', 'nosuch2'],
      {
        exit: 2,
        stdout: 'nosuch1: 0 of 0 records delivered (100 %)\n',
        stderr:
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
        stderr: 'webmail-diaglog: nosuch2: did not appear within 300 ms; check its name\n',
      },
    ],
    [
      'a received file that is not needed',
      ['sent.log', 'sent.log', 'nosuch2'],
      {
        exit: 0,
        stdout: 'sent.log: 1 of 1 record delivered (100 %)\n',
        stderr: 'webmail-diaglog: nosuch2: did not appear; check its name\n',
      },
    ],
  ])('names %s', async (what, files, expected) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'sent.log'), 'a\n');
    const wait = what === 'a received file that is not needed' ? '50s' : '300ms';
    const { stdout, ...rest } = await run(['compare', '--wait', wait, ...files], { cwd });
    expect({ ...rest, stdout: stdout.replace(/; records took .*/, '') }).toEqual(expected);
  });

  test('refuses gzip', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'sent.log'), gzipSync('a\n'));
    expect(await run(['compare', '--wait', '1s', 'sent.log'], { cwd, stdin: 'a\n' })).toEqual({
      exit: 1,
      stdout: '',
      stderr: 'webmail-diaglog: sent.log: it is gzip-compressed and cannot be followed; compare it without --wait\n',
    });
  });
});
