import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createDeployment, type DeploymentOptions } from '../../../src/log/deployment.js';
import { formatGroup } from '../../../src/log/group.js';
import { call, callEach, expectRefused } from '../../support/call.js';
import { finish, makeFolder, outcome, PROJECT, readBytes, refused, runShell, startRun } from '../../support/run.js';

const SECOND = 1_747_562_400;

function group(second: number, target = '/mail/', options: DeploymentOptions = {}): string {
  return formatGroup({ millisecond: second * 1000, method: 'GET', target }, createDeployment(options));
}

const ROW = `${String(SECOND)},/mail/\n`;
const GROUP = group(SECOND);

describe('replay', () => {
  test('reads standard input (a pipe, a file, nothing), with and without -, and a FIFO by its name', async () => {
    const cwd = makeFolder({ 'r.csv': ROW });
    const script = `
      cat r.csv | webmail-diaglog replay; webmail-diaglog replay - < r.csv; webmail-diaglog replay <(cat r.csv)
      mkfifo f; cat r.csv > f & webmail-diaglog replay f; webmail-diaglog replay < /dev/null`;
    expect(await runShell(script, { cwd })).toEqual({ exit: 0, stdout: GROUP.repeat(4), stderr: '' });
  });

  test('takes a deployment from a file, and flags over it', async () => {
    const cwd = makeFolder();
    writeFileSync(
      join(cwd, 'site.json'),
      '\ufeff{"installRoot": "/srv/żółw", "plugins": ["a"], "timezone": "UTC", "loaderLine": 7}',
    );
    const args = ['replay', '--deployment', 'site.json', '--plugins', 'x,y', '--dialect', 'php', '--timezone', 'Asia/Kolkata'];
    const { stdout } = await call(args, { cwd, stdin: ROW });
    const options = {
      installRoot: '/srv/żółw',
      plugins: ['x', 'y'],
      timezone: 'Asia/Kolkata',
      loaderLine: 7,
      dialect: 'php',
    } as const;
    expect(stdout).toBe(group(SECOND, '/mail/', options));
    expect(stdout.split('\n')).toHaveLength(4);
  });

  test('--order sort and keep', async () => {
    const stdin = `${String(SECOND + 1)},/b\n${ROW}`;
    expect((await call('replay --order sort', { stdin })).stdout).toBe(GROUP + group(SECOND + 1, '/b'));
    expect((await call('replay --order keep', { stdin })).stdout).toBe(group(SECOND + 1, '/b') + GROUP);
  });

  test('a row that trickles in is written at once', async () => {
    const child = startRun('replay');
    const received: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => received.push(chunk));
    for (let second = SECOND; second < SECOND + 3; second += 1) {
      // Half a row is no row yet; its end comes in a chunk of its own.
      child.stdin?.write(`${String(second)},/ma`);
      child.stdin?.write('il/\n');
      while (Buffer.concat(received).length < GROUP.length * (second - SECOND + 1)) await once(child.stdout ?? child, 'data');
    }
    expect(Buffer.concat(received).toString()).toBe(GROUP + group(SECOND + 1) + group(SECOND + 2));
    expect((await finish(child)).exit).toBe(0);
  });

  test('groups are not held back by input that brings no request', async () => {
    const child = startRun('replay --on-bad-row skip');
    const received: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => received.push(chunk));
    for (const [index, tail] of ['# comment\n', '\n', 'x\n', '17475'].entries()) {
      // All that a pipe takes at once, and what is behind it brings no request.
      child.stdin?.write(ROW.repeat(Math.floor(65_536 / ROW.length)));
      child.stdin?.write(tail);
      const expected = (index + 1) * Math.floor(65_536 / ROW.length) * GROUP.length;
      while (received.reduce((sum, chunk) => sum + chunk.length, 0) < expected) await once(child.stdout ?? child, 'data');
    }
    child.kill();
    await once(child, 'close');
  });
});

describe('bad rows', () => {
  const stdin = `${ROW}nonsense\n${ROW}`;

  test('stop: exit 1, what was before it is written, one line says where, what, what to do and how far it came', async () => {
    expect(await call('replay', { stdin })).toEqual({
      exit: 1,
      stdout: GROUP,
      stderr:
        'webmail-diaglog: <stdin>:2: the row has 1 cell instead of 2: column 2 is missing;' +
        ' give every cell, even if it is empty (1 group written, stopped at line 2)\n',
    });
  });

  test('skip: exit 0, each is reported and a last line counts them', async () => {
    const { exit, stdout, stderr } = await call('replay --on-bad-row skip', { stdin: `${stdin}${stdin}` });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: GROUP.repeat(4) });
    expect(stderr.split('\n').map((line) => line.slice(0, 46))).toEqual([
      'webmail-diaglog: <stdin>:2: the row has 1 cell',
      'webmail-diaglog: <stdin>:5: the row has 1 cell',
      'webmail-diaglog: <stdin>: 2 bad rows passed ov',
      '',
    ]);
  });

  test.each([
    ['a reader that has gone', '2> >(head -1 > /dev/null)'],
    ['a full device', '2> /dev/full'],
    ['nothing', '2>&-'],
  ])('skip: with %s for stderr all groups are written, and exit 0', async (_what, to) => {
    const mixed = `x\n${ROW}`.repeat(3000);
    const { exit, stdout } = await runShell(`webmail-diaglog replay --on-bad-row skip ${to}`, { stdin: mixed });
    expect(exit).toBe(0);
    expect(stdout === GROUP.repeat(3000)).toBe(true);
  });

  test('a step back and a bad header stop, skip or not', async () => {
    const back = await call('replay --on-bad-row skip', { stdin: `${String(SECOND + 1)},/b\n${ROW}` });
    expect(back).toMatchObject({ exit: 1, stdout: group(SECOND + 1, '/b') });
    expect(back.stderr).toMatch(
      /^webmail-diaglog: <stdin>:2: .* is before .* of line 1; .* \(1 group written, stopped at line 2\)\n$/,
    );
    const header = await call('replay --on-bad-row skip', { stdin: `timestamp,path\n${ROW}` });
    expect(header).toMatchObject({ exit: 1, stdout: '' });
    expect(header.stderr).toMatch(
      /^webmail-diaglog: <stdin>:1: the header has no column request_target: .*0 groups written.*\n$/,
    );
  });

  test('nothing of a row or a file name reaches the terminal raw', async () => {
    const cwd = makeFolder();
    const name = 'a\x1b[31m\n.csv';
    writeFileSync(join(cwd, name), '\x1b]0;x\x07,/\n');
    const skipped = await call(['replay', '--on-bad-row', 'skip', name], { cwd });
    expect(skipped.stderr).toMatch(/^[ -~]*\nwebmail-diaglog: a\\x1b\[31m\\n\.csv: 1 bad row passed over\n$/);
    const { exit, stderr } = await call(['replay', name], { cwd });
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      /^webmail-diaglog: a\\x1b\[31m\\n\.csv:1: timestamp "\\x1b\]0;x\\x07" \(column 1\) is not a timestamp; [ -~]*\n$/,
    );
  });
});

describe('a call that cannot be', () => {
  test('is refused: exit 2, one line says why', async () => {
    await expectRefused('', makeFolder(), {
      'replay missing.csv': 'missing.csv: no such file or folder; check the path',
      'replay /': '/: is a folder; name a file',
      'replay --deployment missing.json': 'missing.json: no such file or folder; check the path',
      'replay -o no/where.log': 'no/where.log: its folder does not exist; make the folder, or check the path',
      'replay -o /': '/: is a folder; name a file',
      "replay --install-root '/a b'":
        '--install-root: "/a b" holds a space, a control character or half a surrogate pair; give a text that can stand in a record',
      'replay --dialect x': /option '--dialect <dialect>' argument 'x' is invalid/,
      'replay --order \x1b[31m': /option '--order <order>' argument '\\x1b\[31m' is invalid/,
      'replay --ordr': "unknown option '--ordr' (Did you mean --order?); see webmail-diaglog replay --help",
      'replay a b': 'replay: several request lists are not read as one; name one, or give --from access-log',
      repaly: "unknown command 'repaly' (Did you mean replay?); see webmail-diaglog --help",
      'replay --every-line': '--every-line: applies to access logs only; give --from access-log too',
      'replay --loop 2': '--loop: the input can be read only once; name a regular file',
      'replay --loop 2 /dev/null': '--loop: the input can be read only once; name a regular file',
    });
  });

  test('what is quoted of an argument is cut', async () => {
    const long = 'x'.repeat(50_000);
    for (const { exit, stderr } of await callEach([['replay', '--order', long], [long], ['replay', long]])) {
      expect(exit).toBe(2);
      expect(stderr.length).toBeLessThan(5000);
    }
  });

  test('a bare call shows the help on stderr', async () => {
    const { exit, stdout, stderr } = await call('');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: webmail-diaglog /);
  });

  test('the input file as output, by any name', async () => {
    const cwd = makeFolder({ 'r.csv': ROW });
    const script = `
      ln r.csv hard; ln -s r.csv soft
      webmail-diaglog replay r.csv -o r.csv; echo $?
      webmail-diaglog replay soft -o hard; echo $?
      webmail-diaglog replay -o soft < r.csv; echo $?
      webmail-diaglog replay r.csv 1<> r.csv 2>&1; echo $? >&2`;
    const { stdout, stderr } = await runShell(script, { cwd });
    expect(stdout).toBe('2\n2\n2\n');
    expect(stderr.match(/the output is the input file; name another file/g)).toHaveLength(3);
    expect(readFileSync(join(cwd, 'r.csv'), 'utf8')).toContain('<stdout>: the output is the input file');
  });
});

describe('help and version', () => {
  test('--help, replay --help and help replay go to stdout, with examples', async () => {
    const results = await callEach([['--help'], ['replay', '--help'], ['help', 'replay']]);
    expect(results).toHaveLength(3);
    for (const { exit, stdout, stderr } of results) {
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      expect(stdout).toMatch(/\nExamples:\n {2}webmail-diaglog replay requests\.csv >> error\.log\n/);
    }
  });

  test.each(['--help', '--version'])('%s to a full device: exit 2 and one line', async (args) => {
    expect(await runShell(`webmail-diaglog ${args} > /dev/full`)).toEqual(
      refused('<stdout>: no space left on the device; free some space'),
    );
  });

  test('--version is that of the package', async () => {
    const manifest = readFileSync(join(PROJECT, 'package.json'), 'utf8');
    expect(manifest).toContain(`"version": "${(await call('--version')).stdout.trim()}"`);
  });
});

describe('-o', () => {
  test('appends, and makes the file', async () => {
    const cwd = makeFolder();
    await call('replay -o error.log', { cwd, stdin: ROW });
    await call('replay --output error.log', { cwd, stdin: ROW });
    expect(readBytes(cwd, 'error.log')).toBe(GROUP.repeat(2));
    expect((await call('replay -o -', { cwd, stdin: ROW })).stdout).toBe(GROUP);
  });

  test('a first group before the last of the log is refused under strict, and the log is untouched', async () => {
    const cwd = makeFolder();
    const log = join(cwd, 'error.log');
    const torn = group(SECOND + 1) + GROUP.slice(0, 100);
    writeFileSync(log, torn);
    const { exit, stderr } = await call('replay -o error.log', { cwd, stdin: ROW });
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      /^webmail-diaglog: <stdin>:1: .* is before .* of the last load failure in error\.log; .*\(0 groups written, stopped at line 1\)\n$/,
    );
    expect(readFileSync(log, 'latin1')).toBe(torn);
    expect(await call('replay -o error.log --order keep', { cwd, stdin: ROW })).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'webmail-diaglog: error.log: the file ended in half a record; a line feed was added\n',
    });
    expect(readFileSync(log, 'latin1')).toBe(`${torn}\n${GROUP}`);
  });

  test('a FIFO, and a device', async () => {
    const cwd = makeFolder({ 'r.csv': ROW });
    const script = 'mkfifo f; webmail-diaglog replay r.csv -o f & cat f; wait; webmail-diaglog replay r.csv -o /dev/null';
    expect(await runShell(script, { cwd })).toEqual({ exit: 0, stdout: GROUP, stderr: '' });
  });
});

describe('what may happen to the output', () => {
  const many = ROW.repeat(3000);

  test('the reader goes away: exit 0, without a word', async () => {
    const script = `webmail-diaglog replay | head -c 100000 | wc -c; echo "\${PIPESTATUS[0]}"`;
    expect(await runShell(script, { stdin: many })).toEqual({ exit: 0, stdout: '100000\n0\n', stderr: '' });
  });

  test('a file that may not grow: exit 2, and it ends at the end of a group', async () => {
    const cwd = makeFolder({ 'error.log': GROUP });
    const { exit, stderr } = await runShell('ulimit -f 100; webmail-diaglog replay >> error.log', { cwd, stdin: many });
    const groups = Math.floor((100 * 1024) / GROUP.length) - 1;
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringContaining(` (${String(groups)} groups written, stopped after line ${String(groups)})\n`),
    });
    expect(readBytes(cwd, 'error.log')).toBe(GROUP.repeat(groups + 1));
  });

  test('four appenders at once: all groups whole, none lost, none mixed', async () => {
    const cwd = makeFolder({ 'r.csv': many });
    const to = ['-o', '-o', '>>', '>>'];
    const each = (n: number): string =>
      `webmail-diaglog replay r.csv --install-root /${String(n)} ${to[n - 1] ?? ''} error.log &`;
    expect((await runShell(`${[1, 2, 3, 4].map(each).join(' ')} wait`, { cwd })).stderr).toBe('');
    const lines = readBytes(cwd, 'error.log').split('\n');
    expect(lines).toHaveLength(4 * 3000 * 8 + 1);
    const groups = Array.from({ length: 4 * 3000 }, (_, index) => `${lines.slice(index * 8, index * 8 + 8).join('\n')}\n`);
    for (const n of [1, 2, 3, 4]) {
      const expected = group(SECOND, '/mail/', { installRoot: `/${String(n)}` });
      expect(groups.filter((each) => each === expected)).toHaveLength(3000);
    }
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a run that waits for input, as that signal does', async (signal) => {
    const child = startRun('replay');
    child.stdin?.write(`${ROW}${ROW}1747`);
    await once(child.stdout ?? child, 'readable');
    child.kill(signal);
    expect(await outcome(child)).toEqual({
      exit: signal,
      stdout: GROUP.repeat(2),
      stderr: `webmail-diaglog: ended by ${signal} (2 groups written, stopped after line 2)\n`,
    });
  });

  test.each([[['replay', 'f']], [['replay', '-o', 'f', 'r.csv']]])(
    'SIGTERM while the other end of a FIFO is missing: %j',
    async (args) => {
      const cwd = makeFolder({ 'r.csv': ROW });
      await runShell('mkfifo f', { cwd });
      const child = startRun([...args, '--order', 'keep'], { cwd });
      // Sent until it has ended: before its handlers stand a signal ends it without a word, too.
      const again = setInterval(() => child.kill('SIGTERM'), 100);
      const { exit, stdout } = await outcome(child);
      clearInterval(again);
      expect({ exit, stdout }).toEqual({ exit: 'SIGTERM', stdout: '' });
    },
  );

  test.each([
    [
      'a second signal ends the run at once',
      'SIGTERM',
      20,
      /^webmail-diaglog: ended by SIGTERM at once \(at least \d+ groups written\)\n$/,
    ],
    [
      'one signal ends the run after its time of grace',
      'SIGINT',
      undefined,
      /^webmail-diaglog: ended by SIGINT though the reader has not taken/,
    ],
  ] as const)('a reader that stalls: %s', async (_what, signal, againMs, message) => {
    const child = startRun('replay fixtures/requests.csv');
    await once(child.stdout ?? child, 'readable');
    const stderr: Buffer[] = [];
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.kill(signal);
    // Signals that come together count as one: they are sent until the run has ended.
    const again = againMs === undefined ? undefined : setInterval(() => child.kill(signal), againMs);
    await once(child, 'exit');
    clearInterval(again);
    child.stdout?.destroy();
    expect(child.signalCode).toBe(signal);
    expect(Buffer.concat(stderr).toString()).toMatch(message);
  });
});

describe('replay of an access log', () => {
  const LOG = [
    '127.0.0.1 - - [18/May/2025:12:00:01 +0200] "GET /mail/ HTTP/1.1" 200 1 "-" "x"',
    '127.0.0.1 - - [18/May/2025:12:00:00 +0200] "GET /webmail/?a=\\x22 HTTP/1.1" 200 1 "-" "x"',
    '127.0.0.1 - - [18/May/2025:12:00:02 +0200] "GET /style.css HTTP/1.1" 200 1 "-" "x"',
    '127.0.0.1 - - [18/May/2025:12:00:02 +0200] "-" 408 0 "-" "-"',
  ].join('\n');

  test('the requests that the webmail handled become its log; other lines are counted', async () => {
    expect(await call('replay --from access-log --order sort', { stdin: LOG })).toEqual({
      exit: 0,
      stdout: group(SECOND, '/webmail/?a="') + group(SECOND + 1),
      stderr: 'webmail-diaglog: <stdin>: 1 line passed over that the webmail did not handle, 1 broken line\n',
    });
    const { stdout } = await call('replay --from access-log --prefixes mail,x', { stdin: LOG });
    expect(stdout).toBe(group(SECOND + 1));
    const { stderr } = await call('replay --from access-log --every-line --order keep', { stdin: LOG });
    expect(stderr).toBe('webmail-diaglog: <stdin>: 0 lines passed over that the webmail did not handle, 1 broken line\n');
  });

  test('a file that is no access log at all is said to be none', async () => {
    expect(await call('replay --from access-log', { stdin: ROW })).toEqual({
      exit: 1,
      stdout: '',
      stderr:
        'webmail-diaglog: <stdin>: 0 lines passed over that the webmail did not handle, 1 broken line;' +
        ' no line is one of the Common or Combined format, check the file and --from\n',
    });
  });

  test('a step back names --order sort', async () => {
    const { exit, stdout, stderr } = await call('replay --from access-log', { stdin: LOG });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: group(SECOND + 1) });
    expect(stderr).toMatch(/<stdin>:2: .* or give --order sort or --order keep \(1 group written, stopped at line 2\)\n$/);
  });
});

describe('replay of several access logs', () => {
  const lineAt = (second: number, target: string): string =>
    `127.0.0.1 - - [18/May/2025:12:00:${String(second).padStart(2, '0')} +0200] "GET ${target} HTTP/1.1" 200 1\n`;

  /** Writes access logs to a folder: the newest, the one before, and the oldest as gzip. */
  function rotated(newest = lineAt(5, '/e')): string {
    const cwd = makeFolder({
      'access.log': `garbage\n${newest.replace('/e', '/e/')}`,
      'access.log.1': lineAt(3, '/c/') + lineAt(4, '/d/'),
      'access.log.2.gz': gzipSync(lineAt(1, '/a/') + lineAt(2, '/b/').trimEnd()),
    });
    return cwd;
  }

  test('reads them as one, in the order of their first lines, gzip too', async () => {
    const files = ['access.log', 'access.log.1', 'access.log.2.gz'];
    const groups = ['/a/', '/b/', '/c/', '/d/', '/e/'].map((target, index) => group(SECOND + 1 + index, target)).join('');
    const from = ['replay', '--from', 'access-log'];
    const stderr = 'webmail-diaglog: access.log: 0 lines passed over that the webmail did not handle, 1 broken line\n';
    expect(await call([...from, ...files], { cwd: rotated() })).toEqual({ exit: 0, stdout: groups, stderr });
    const twice = await call([...from, '--loop', '2', ...files], { cwd: rotated() });
    expect(twice.stdout.length).toBe(2 * groups.length);
    const stdin = lineAt(9, '/z/');
    const piped = await call([...from, '-', ...files], { cwd: rotated(), stdin });
    expect(piped.stdout).toBe(groups + group(SECOND + 9, '/z/'));
  });

  test('a step back names the files and their own lines', async () => {
    const cwd = rotated(lineAt(4, '/e') + lineAt(3, '/f/'));
    writeFileSync(join(cwd, 'access.log.1'), lineAt(3, '/c/') + lineAt(5, '/d/'));
    const { exit, stderr } = await call('replay --from access-log access.log access.log.1', { cwd });
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr: expect.stringContaining(
        'access.log:2: 18-May-2025 12:00:04 +0200 is before 18-May-2025 12:00:05 +0200 of line 2 of access.log.1; sort the list',
      ),
    });
  });

  test('lines of JSON are read too', async () => {
    const cwd = makeFolder({
      'a.json': `{"when": ${String(SECOND + 1)}, "url": "/mail/"}\n`,
      'b.json': `{"when": ${String(SECOND)}, "url": "/poczta/"}\n`,
    });
    const from = ['replay', '--from', 'access-json', '--keys', 'time=when,target=url', 'a.json', 'b.json'];
    expect(await call(from, { cwd })).toEqual({ exit: 0, stdout: group(SECOND, '/poczta/') + group(SECOND + 1), stderr: '' });
    expect(await call('replay --from access-json a.json', { cwd })).toEqual({
      exit: 1,
      stdout: '',
      stderr:
        'webmail-diaglog: a.json: 0 lines passed over that the webmail did not handle, 1 broken line;' +
        ' no line is JSON with a time and a target, check the file, --from and --keys\n',
    });
  });
});

describe('replay in time', () => {
  test('--start, --loop and --mark: passes follow each other, marks run on', async () => {
    const cwd = makeFolder({ 'r.csv': `${String(SECOND)},/a\n${String(SECOND + 5)},/b\n` });
    const { stdout } = await call('replay --start 1000000000 --loop 2 --mark r r.csv', { cwd });
    const expected = [group(1e9, '/a?r=1'), group(1e9 + 5, '/b?r=2'), group(1e9 + 6, '/a?r=3'), group(1e9 + 11, '/b?r=4')];
    expect(stdout).toBe(expected.join(''));
  });

  test('--start now --speed: the first request lands on the present, gaps are divided', async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const stdin = `${String(SECOND)},/a\n${String(SECOND + 3600)},/b\n`;
    const { stdout, stderr } = await call('replay --start now --speed 36000', { stdin });
    const first = Array.from({ length: 100 }, (_, index) => startedAt + index).find((second) =>
      stdout.startsWith(group(second, '/a')),
    );
    expect(first).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    const last = stdout.slice(group(SECOND, '/a').length);
    expect([group(first ?? 0, '/b'), group((first ?? 0) + 1, '/b')]).toContain(last);
    expect(stderr).toMatch(/^webmail-diaglog: 2 groups in real time, late by /);
  });

  test('a list that is re-timed is compared with the log at its new times', async () => {
    const cwd = makeFolder();
    expect((await call('replay --start now -o e.log', { cwd, stdin: ROW })).exit).toBe(0);
    expect((await call('replay --start 9999-01-01 -o e.log', { cwd, stdin: ROW })).exit).toBe(0);
    const { exit, stderr } = await call('replay --start now -o e.log', { cwd, stdin: ROW });
    expect(exit).toBe(1);
    expect(stderr).toContain(' is before 01-Jan-9999 00:00:00 +0100 of the last load failure in e.log; ');
  });

  test('an empty list cannot be played for ever', async () => {
    const cwd = makeFolder({ 'r.csv': '# nothing\n' });
    expect(await call('replay --loop forever r.csv', { cwd })).toEqual(
      refused('r.csv: has no requests to play forever; give a list with at least one request (0 groups written)', 1),
    );
  });

  test('bad rows of a list that is played several times are reported once', async () => {
    const cwd = makeFolder({ 'r.csv': `x,/\n${ROW}` });
    const { stdout, stderr } = await call('replay --loop 3 --on-bad-row skip r.csv', { cwd });
    expect(stdout).toBe(GROUP + group(SECOND + 1) + group(SECOND + 2));
    expect(stderr.match(/\n/g)).toHaveLength(2);
  });

  test('a list is read any number of times', async () => {
    const cwd = makeFolder({ 'r.csv': ROW.repeat(10) });
    const { exit, stdout, stderr } = await call('replay --loop 13 r.csv', { cwd });
    expect({ exit, groups: stdout.length / GROUP.length, stderr }).toEqual({ exit: 0, groups: 130, stderr: '' });
  });
});
