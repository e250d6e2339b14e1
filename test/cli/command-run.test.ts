import { once } from 'node:events';
import { existsSync, renameSync, rmSync, truncateSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { call, expectRefused } from '../support/call.js';
import { checked } from '../support/checked.js';
import { firstOfEndless } from '../support/endless.js';
import { endBy, finish, makeFolder, outcome, readBytes, runShell, startRun, startShell } from '../support/run.js';
import { GROUP, ROW } from '../support/records.js';
import { sizeOf, until } from '../support/until.js';

const FOREVER = 'synth --seed 3 --rate 5000 --count forever';

/** The first groups of what `FOREVER` writes. */
function firstOfForever(groups: number): string {
  const requests = firstOfEndless({ seed: 3, rate: 5000 }, groups);
  return requests.map((request) => formatGroup(request, createDeployment())).join('');
}

/** A run that writes a file for ever, until it is sent a signal. */
function startForever() {
  const log = join(makeFolder(), 'error.log');
  const child = startRun(`${FOREVER} --speed 1 -o ${log}`);
  const end = async (signal: NodeJS.Signals): Promise<string> => {
    child.kill(signal);
    const { exit, stderr } = await outcome(child);
    expect(exit).toBe(signal);
    return stderr;
  };
  return { child, log, end };
}

/** How many groups (or rows) a run says that it has written. */
const writtenBy = (stderr: string): number => Number(/\((\d+) (?:group|row)s? written/.exec(stderr)?.[1]);

describe('a disk that is full, or a file that may not grow', () => {
  test.each(['-o error.log', '>> error.log', '> error.log'])(
    'in the middle of synth (%s): exit 2, and one line says how many groups stand, all of them whole',
    async (to) => {
      const cwd = makeFolder();
      const { exit, stderr } = await runShell(`ulimit -f 100; webmail-diaglog synth --count 1000 ${to}`, { cwd });
      const groups = writtenBy(stderr);
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr:
          `webmail-diaglog: ${to.startsWith('-o') ? 'error.log' : '<stdout>'}: the file would exceed the size limit; ` +
          `raise the limit (ulimit -f) or name another file (${String(groups)} groups written)\n`,
      });
      expect(groups).toBeGreaterThan(50);
      expect(await checked(readBytes(cwd, 'error.log'))).toEqual({ groups, violations: [] });
    },
  );

  test.each(['-o', '>>'])('of a list whole rows stand, its header is none (%s)', async (to) => {
    const cwd = makeFolder();
    const script = `ulimit -f 1; webmail-diaglog synth --count 1000 --as requests ${to} r.csv; ulimit -f unlimited`;
    const { stderr } = await runShell(script, { cwd });
    const rows = readBytes(cwd, 'r.csv').split('\n');
    expect(stderr).toContain(`(${String(rows.length - 2)} rows written)`);
    expect(rows.at(-1)).toBe('');
    expect(rows.at(-2)).toMatch(/,GET,\/\S+$/);
  });

  test.each(['-o error.log', '>> error.log'])(
    'another appender has written before, and none after (%s): the half group is taken back all the same',
    async (to) => {
      const cwd = makeFolder();
      const log = join(cwd, 'error.log');
      const child = startShell(`ulimit -f 8; exec "\${program[@]}" replay ${to}`, { cwd });
      child.stdin?.write(ROW);
      await until(() => sizeOf(log) > 0);
      appendFileSync(log, GROUP);
      const { exit, stderr } = await finish(child, { stdin: ROW.repeat(9) });
      expect({ exit, groups: writtenBy(stderr) }).toEqual({ exit: 2, groups: 3 });
      expect(readBytes(log)).toBe(GROUP.repeat(4));
    },
  );
});

test('SIGKILL in the middle of a long run: all but a torn tail is whole, and the next run with -o says that it ends the tail', async () => {
  const { log, end } = startForever();
  await until(() => sizeOf(log) > 100_000);
  await end('SIGKILL');
  const groups = Math.ceil(sizeOf(log) / GROUP.length) + 10;
  expect(firstOfForever(groups).startsWith(readBytes(log))).toBe(true);
  // Whether this one was torn is chance; the tail of this one is.
  truncateSync(log, sizeOf(log) - 10);
  const torn = readBytes(log);
  const { exit, stderr } = await call(`synth --count 2 --from 2025-06-01 -o ${log}`);
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: `webmail-diaglog: ${log}: the file ended in half a record; a line feed was added\n`,
  });
  expect(readBytes(log).startsWith(`${torn}\n[01-Jun-2025`)).toBe(true);
  const line = torn.split('\n').length;
  const { violations } = await checked(readBytes(log));
  expect(violations).toHaveLength(1);
  expect(violations[0]).toMatch(new RegExp(`^(?:${String(line)} foreign|${String(line - ((line - 1) % 8))} incomplete)$`));
});

/** How long a process has run on a processor, in ticks of 10 ms. */
function ticksOf(pid: number): number {
  const fields = readBytes(`/proc/${String(pid)}/stat`)
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Waits until a process has done nothing for so many looks. */
async function atRest(pid: number, looks = 30): Promise<void> {
  let [ticks, same] = [-1, 0];
  await until(() => {
    const before = ticks;
    ticks = ticksOf(pid);
    same = ticks === before ? same + 1 : 0;
    return same === looks;
  });
}

(process.platform === 'linux' ? test : test.skip)(
  'a reader that stalls: the run comes to rest, in little memory, and ends in whole groups once it is read',
  async () => {
    const child = startRun(FOREVER);
    const { stdout, pid = 0 } = child;
    if (stdout) await once(stdout, 'readable');
    await atRest(pid);
    expect(Number(/VmRSS:\s+(\d+)/.exec(readBytes(`/proc/${String(pid)}/status`))?.[1])).toBeLessThan(100 * 1024);
    child.kill('SIGINT');
    const { exit, stdout: log, stderr } = await outcome(child);
    expect(exit).toBe('SIGINT');
    expect(await checked(log)).toEqual({ groups: writtenBy(stderr), violations: [] });
  },
);

describe('SIGHUP', () => {
  test('with -o: the file is reopened while it is written to, as often as it is rotated; no group is lost or cut', async () => {
    const { child, log, end } = startForever();
    const files = Array.from({ length: 10 }, (_, n) => `${log}.${String(n)}`);
    for (const file of files) {
      await until(() => sizeOf(log) > 0);
      renameSync(log, file);
      child.kill('SIGHUP');
      await until(() => existsSync(log));
    }
    const stderr = await end('SIGTERM');
    const pieces = [...files, log].map((file) => readBytes(file));
    for (const piece of pieces) expect((await checked(piece)).violations).toEqual([]);
    expect(pieces.join('') === firstOfForever(writtenBy(stderr))).toBe(true);
  });

  test('with -o: it does not end a run at its very end, however often it comes', async () => {
    const cwd = makeFolder();
    const log = join(cwd, 'error.log');
    for (let groups = 1; groups <= 10; groups += 2) {
      const child = startRun('replay -o error.log', { cwd });
      child.stdin?.write(ROW);
      await until(() => sizeOf(log) === groups * GROUP.length);
      const ended = finish(child, { stdin: ROW });
      while (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGHUP');
        await setImmediate();
      }
      expect(await ended).toEqual({ exit: 0, stdout: '', stderr: '' });
    }
  });

  test('without -o: it ends the run as SIGTERM does', async () => {
    expect(await endBy('SIGHUP', 'replay', ROW)).toEqual({
      exit: 'SIGHUP',
      stdout: GROUP,
      stderr: 'webmail-diaglog: ended by SIGHUP (1 group written, stopped after line 1)\n',
    });
  });
});

test('a file that is removed while it is written: exit 2', async () => {
  const cwd = makeFolder();
  const log = join(cwd, 'error.log');
  const child = startRun('replay -o error.log', { cwd });
  child.stdin?.write(ROW);
  await until(() => sizeOf(log) > 0);
  rmSync(log);
  const { exit, stderr } = await finish(child, { stdin: ROW });
  expect(exit).toBe(2);
  // A run that takes a while says so before its end, too.
  expect(stderr.split('\n').at(-2)).toBe(
    'webmail-diaglog: error.log: the file was removed during the run; run it again, or send SIGHUP after a removal',
  );
});

test('no file that a run reads may be its output: exit 2, and the file is as it was', async () => {
  const contents = { 'r.csv': ROW, 'error.log': GROUP, 'site.json': '{"timezone": "UTC"}\n', 't.csv': '/,1\n' };
  const cwd = makeFolder(contents);
  const isInput = (output: string, role = 'input'): string => `${output}: the output is the ${role} file; name another file`;
  await expectRefused('', cwd, {
    'replay r.csv -o r.csv': isInput('r.csv'),
    'replay --deployment site.json r.csv -o site.json': isInput('site.json', 'deployment'),
    'replay --deployment site.json r.csv -o r.csv': isInput('r.csv'),
    'synth --targets t.csv -o t.csv': isInput('t.csv', 'targets'),
    'synth --deployment site.json --targets t.csv -o site.json': isInput('site.json', 'deployment'),
    'parse error.log -o error.log': isInput('error.log'),
    'check --deployment site.json error.log -o site.json': isInput('site.json', 'deployment'),
    'check --deployment site.json error.log -o error.log': isInput('error.log'),
    'stats error.log -o error.log': isInput('error.log'),
    'serve --port 0 --deployment site.json -o site.json': isInput('site.json', 'deployment'),
    'canary --deployment site.json app.log received.log -o site.json': isInput('site.json', 'deployment'),
    'canary --targets t.csv app.log received.log -o t.csv': isInput('t.csv', 'targets'),
  });
  for (const [name, content] of Object.entries(contents)) expect(readBytes(cwd, name)).toBe(content);
});
