import { once } from 'node:events';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import { COMMAND } from '../../../src/cli/replay/command.js';
import { resolveReplay } from '../../../src/cli/replay/run.js';
import { createDeployment } from '../../../src/log/deployment.js';
import { call, callEach, expectRefused } from '../../support/call.js';
import { parsedOptions, refusalOf, type Typed } from '../../support/parsed-options.js';
import { GROUP, groupAt, ROW, SECOND } from '../../support/records.js';
import {
  endBy,
  finish,
  followOutput,
  makeFolder,
  outcome,
  PROJECT,
  readBytes,
  refused,
  runShell,
  startRun,
} from '../../support/run.js';

function resolve(given: Typed) {
  return resolveReplay(parsedOptions(COMMAND.options, given));
}

describe('resolveReplay', () => {
  test.each<[Typed, number]>([
    [{ live: true }, 1],
    [{ live: true, speed: '10' }, 10],
    [{ start: 'now' }, 1],
  ])('%j starts when the first request comes, not when options are read', (raw, speed) => {
    jest.useFakeTimers({ now: 1000 });
    const { retiming } = resolve(raw);
    jest.setSystemTime(5000);
    expect([retiming?.speed, retiming?.startAt()]).toEqual([speed, 5000]);
    jest.useRealTimers();
  });

  test('the keys of access logs in JSON', () => {
    const accessLog = { format: 'json', everyLine: false, keys: { time: 'a.b', target: 'c=d' } };
    expect(resolve({ from: 'access-json', keys: 'time=a.b, target=c=d' }).accessLog).toEqual(accessLog);
  });

  test.each<[string, string | Buffer, string]>([
    [
      'no JSON',
      '{',
      'the deployment file is not JSON: "Expected property name or \'}\' in JSON at position 1"; write it as {"installRoot": "/srv/mail"}',
    ],
    ['no UTF-8', '{"installRoot": "/\xff"}', 'the deployment file is not UTF-8; save it as UTF-8'],
    [
      'an unknown key',
      '{"root": 1}',
      '"root" is not a key of a deployment; the keys are installRoot, runtimeTag, scriptExtension, library, loaderFile, loaderLine, sessionFile, sessionLine, timezone, plugins, dialect, pluginsFolder, loaderPath, sessionPath, deprecation, driver',
    ],
  ])('refuses a deployment file with %s', (_what, content, message) => {
    const path = join(makeFolder({ 'site.json': content }), 'site.json');
    expect(refusalOf(() => resolve({ deployment: path }))).toBe(`${path}: ${message}`);
  });
});

describe('replay', () => {
  test('reads standard input (a pipe, a file, nothing), with and without -, and a FIFO by its name', async () => {
    const script = `
      cat r.csv | webmail-diaglog replay; webmail-diaglog replay - < r.csv; webmail-diaglog replay <(cat r.csv)
      mkfifo f; cat r.csv > f & webmail-diaglog replay f; webmail-diaglog replay < /dev/null`;
    const cwd = makeFolder({ 'r.csv': ROW });
    expect(await runShell(script, { cwd })).toEqual({ exit: 0, stdout: GROUP.repeat(4), stderr: '' });
  });

  test('takes a deployment from a file, and flags over it', async () => {
    const file = '\ufeff{"installRoot": "/srv/żółw", "plugins": ["a"], "timezone": "UTC", "loaderLine": 7}';
    const cwd = makeFolder({ 'site.json': Buffer.from(file) });
    const flags = '--deployment site.json --plugins x,y --dialect php --timezone Asia/Kolkata';
    const { stdout } = await call(`replay ${flags}`, { cwd, stdin: ROW });
    const changed = { plugins: ['x', 'y'], timezone: 'Asia/Kolkata', loaderLine: 7, dialect: 'php' } as const;
    expect(stdout).toBe(groupAt(SECOND, '/mail/', createDeployment({ installRoot: '/srv/żółw', ...changed })));
    expect(stdout.split('\n')).toHaveLength(4);
  });

  test('a row that trickles in is written at once', async () => {
    const child = startRun('replay');
    const written = followOutput(child);
    for (let second = SECOND; second < SECOND + 3; second += 1) {
      // Half a row is no row yet; its end comes in a chunk of its own.
      child.stdin?.write(`${String(second)},/ma`);
      child.stdin?.write('il/\n');
      await written(GROUP.length * (second - SECOND + 1));
    }
    expect(await written(0)).toBe(GROUP + groupAt(SECOND + 1) + groupAt(SECOND + 2));
    expect((await finish(child)).exit).toBe(0);
  });

  test('groups are not held back by input that brings no request', async () => {
    const child = startRun('replay --on-bad-row skip');
    const written = followOutput(child);
    // All that a pipe takes at once, and what is behind it brings no request.
    const rows = Math.floor(65_536 / ROW.length);
    for (const [index, tail] of ['# comment\n', '\n', 'x\n', '17475'].entries()) {
      child.stdin?.write(ROW.repeat(rows));
      child.stdin?.write(tail);
      await written((index + 1) * rows * GROUP.length);
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
    expect(await call('replay --on-bad-row skip', { stdin: `${stdin}${stdin}` })).toEqual({
      exit: 0,
      stdout: GROUP.repeat(4),
      stderr: expect.stringMatching(/^(?:.* <stdin>:[25]: the row has 1 cell .*\n){2}.* <stdin>: 2 bad rows passed over\n$/),
    });
  });

  test.each([
    ['a reader that has gone', '2> >(head -1 > /dev/null)'],
    ['a full device', '2> /dev/full'],
    ['nothing', '2>&-'],
  ])('skip: with %s for stderr all groups are written, and exit 0', async (_what, to) => {
    const mixed = `x\n${ROW}`.repeat(3000);
    const { exit, stdout } = await runShell(`webmail-diaglog replay --on-bad-row skip ${to}`, { stdin: mixed });
    expect({ exit, isWhole: stdout === GROUP.repeat(3000) }).toEqual({ exit: 0, isWhole: true });
  });

  test.each([
    [
      `${String(SECOND + 1)},/b\n${ROW}`,
      groupAt(SECOND + 1, '/b'),
      /^.* <stdin>:2: .* is before .* of line 1; .* \(1 group written, stopped at line 2\)\n$/,
    ],
    [`timestamp,path\n${ROW}`, '', /^.* <stdin>:1: the header has no column request_target: .*0 groups written.*\n$/],
  ])('a step back and a bad header stop, skip or not: %j', async (list, stdout, message) => {
    const result = await call('replay --on-bad-row skip', { stdin: list });
    expect(result).toEqual({ exit: 1, stdout, stderr: expect.stringMatching(message) });
  });

  test('nothing of a row or a file name reaches the terminal raw', async () => {
    const name = 'a\x1b[31m\n.csv';
    const cwd = makeFolder({ [name]: '\x1b]0;x\x07,/\n' });
    const [skipped, stopped] = await callEach(
      [
        ['replay', '--on-bad-row', 'skip', name],
        ['replay', name],
      ],
      { cwd },
    );
    expect(skipped?.stderr).toMatch(/^[ -~]*\nwebmail-diaglog: a\\x1b\[31m\\n\.csv: 1 bad row passed over\n$/);
    expect(stopped).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/: a\\x1b\[31m\\n\.csv:1: timestamp "\\x1b\]0;x\\x07" \(column 1\) is not [ -~]*\n$/),
    });
  });
});

describe('a call that cannot be', () => {
  test('is refused: exit 2, one line says why', async () => {
    const noPrefixes =
      'is not a path prefix; give it as clients send it, percent-encoded (a space is %20) and without ? and #, such as mail,webmail';
    await expectRefused('', makeFolder(), {
      repaly: "unknown command 'repaly' (Did you mean replay?); see webmail-diaglog --help",
      'replay --ordr': "unknown option '--ordr' (Did you mean --order?); see webmail-diaglog replay --help",
      'replay --dialect x': /option '--dialect <dialect>' argument 'x' is invalid/,
      'replay --order \x1b[31m': /option '--order <order>' argument '\\x1b\[31m' is invalid/,
      'replay missing.csv': 'missing.csv: no such file or folder; check the path',
      'replay /': '/: is a folder; name a file',
      'replay a b': 'replay: several request lists are not read as one; name one, or give --from access-log',
      'replay --deployment missing.json': 'missing.json: no such file or folder; check the path',
      'replay -o no/where.log': 'no/where.log: its folder does not exist; make the folder, or check the path',
      'replay -o /': '/: is a folder; name a file',
      "replay --install-root '/a b'":
        '--install-root: "/a b" holds a space, a control character or half a surrogate pair; give a text that can stand in a record',
      'replay --timezone Mars/Olympus':
        '--timezone: "Mars/Olympus" is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw',
      'replay --plugins a,a': '--plugins: "a,a" lists a plugin twice; list each plugin once',
      'replay --every-line': '--every-line: applies to access logs only; give --from access-log too',
      'replay --prefixes mail': '--prefixes: applies to access logs only; give --from access-log too',
      "replay --from access-log --prefixes 'a b'": `--prefixes: "a b" ${noPrefixes}`,
      'replay --from access-log --prefixes a --every-line':
        '--prefixes: cannot be combined with --every-line; give one of the two',
      'replay --keys time=t': '--keys: applies to access logs only; give --from access-json too',
      'replay --from access-log --keys time=t': '--keys: applies to JSON only; give --from access-json too',
      'replay --from access-json --keys time': '--keys: "time" is not a name=path pair; give one such as target=request.uri',
      'replay --from access-json --keys time=t,when=t':
        '--keys: "when" is not one of the names; the names are time, method, target, status',
      'replay --loop 0': '--loop: "0" is not a whole number from 1 on; give one such as 1000, or forever',
      'replay --loop 2': '--loop: the input can be read only once; name a regular file',
      'replay --loop 2 /dev/null': '--loop: the input can be read only once; name a regular file',
      'replay --start soon':
        '--start: "soon" is not a timestamp; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
      'replay --speed=-1': '--speed: "-1" is not a decimal number above 0; give one such as 1, 50 or 0.5',
      'replay --mark ?': '--mark: "?" is not a parameter name; give letters, digits or ._~-, such as r',
    });
  });

  test('a bare call shows the help on stderr', async () => {
    expect(await call([])).toEqual({ exit: 2, stdout: '', stderr: expect.stringMatching(/^Usage: webmail-diaglog /) });
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
    expect(readBytes(cwd, 'r.csv')).toContain('<stdout>: the output is the input file');
  });
});

describe('help and version', () => {
  test.each(['--help', '--version'])('%s to a full device: exit 2 and one line', async (args) => {
    expect(await runShell(`webmail-diaglog ${args} > /dev/full`)).toEqual(
      refused('<stdout>: no space left on the device; free some space'),
    );
  });

  test('--version is that of the package', async () => {
    const manifest = readBytes(PROJECT, 'package.json');
    expect(manifest).toContain(`"version": "${(await call('--version')).stdout.trim()}"`);
  });
});

describe('-o', () => {
  test('appends, and makes the file', async () => {
    const cwd = makeFolder();
    await callEach(['replay -o error.log', 'replay --output error.log'], { cwd, stdin: ROW });
    expect(readBytes(cwd, 'error.log')).toBe(GROUP.repeat(2));
    expect((await call('replay -o -', { cwd, stdin: ROW })).stdout).toBe(GROUP);
  });

  test('a first group before the last of the log is refused under strict, and the log is untouched', async () => {
    const torn = groupAt(SECOND + 1) + GROUP.slice(0, 100);
    const cwd = makeFolder({ 'error.log': torn });
    expect(await call('replay -o error.log', { cwd, stdin: ROW })).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(
        /<stdin>:1: .* is before .* of the last load failure in error\.log; .*\(0 groups written, stopped at line 1\)\n$/,
      ),
    });
    expect(readBytes(cwd, 'error.log')).toBe(torn);
    expect(await call('replay -o error.log --order keep', { cwd, stdin: ROW })).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'webmail-diaglog: error.log: the file ended in half a record; a line feed was added\n',
    });
    expect(readBytes(cwd, 'error.log')).toBe(`${torn}\n${GROUP}`);
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

  test('four appenders at once: all groups whole, none lost, none mixed', async () => {
    const cwd = makeFolder({ 'r.csv': many });
    const runs = ['-o', '-o', '>>', '>>'].map(
      (to, index) => `webmail-diaglog replay r.csv --install-root /${String(index)} ${to} error.log &`,
    );
    expect((await runShell(`${runs.join(' ')} wait`, { cwd })).stderr).toBe('');
    const records = readBytes(cwd, 'error.log').split(/(?<=\n)/);
    expect(records).toHaveLength(4 * 3000 * 8);
    const groups = Array.from({ length: 4 * 3000 }, (_, index) => records.slice(index * 8, index * 8 + 8).join(''));
    for (const index of runs.keys()) {
      const expected = groupAt(SECOND, '/mail/', createDeployment({ installRoot: `/${String(index)}` }));
      expect(groups.filter((group) => group === expected)).toHaveLength(3000);
    }
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a run that waits for input, as that signal does', async (signal) => {
    expect(await endBy(signal, 'replay', `${ROW}${ROW}1747`)).toEqual({
      exit: signal,
      stdout: GROUP.repeat(2),
      stderr: `webmail-diaglog: ended by ${signal} (2 groups written, stopped after line 2)\n`,
    });
  });

  test.each(['replay f', 'replay -o f r.csv'])('SIGTERM while the other end of a FIFO is missing: %s', async (words) => {
    const cwd = makeFolder({ 'r.csv': ROW });
    await runShell('mkfifo f', { cwd });
    const child = startRun(`${words} --order keep`, { cwd });
    // Sent until it has ended: before its handlers stand a signal ends it without a word, too.
    const again = setInterval(() => child.kill('SIGTERM'), 100);
    expect(await outcome(child)).toMatchObject({ exit: 'SIGTERM', stdout: '' });
    clearInterval(again);
  });

  test.each([
    ['a second signal ends the run at once', 'SIGTERM', 20, /: ended by SIGTERM at once \(at least \d+ groups written\)\n$/],
    ['one signal ends the run after its time of grace', 'SIGINT', undefined, /: ended by SIGINT though the reader has not taken/],
  ] as const)('a reader that stalls: %s', async (_what, signal, againMs, message) => {
    const child = startRun('replay fixtures/requests.csv');
    await once(child.stdout ?? child, 'readable');
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.kill(signal);
    // Signals that come together count as one: they are sent until the run has ended.
    const again = againMs === undefined ? undefined : setInterval(() => child.kill(signal), againMs);
    await once(child, 'exit');
    clearInterval(again);
    child.stdout?.destroy();
    expect(child.signalCode).toBe(signal);
    expect(said).toMatch(message);
  });
});

describe('replay of an access log', () => {
  const lineAt = (second: number, target: string): string =>
    `127.0.0.1 - - [18/May/2025:12:00:${String(second).padStart(2, '0')} +0200] "GET ${target} HTTP/1.1" 200 1 "-" "x"\n`;
  const LOG = `${[lineAt(1, '/mail/'), lineAt(0, '/webmail/?a=\\x22'), lineAt(2, '/style.css')].join('')}127.0.0.1 - - [18/May/2025:12:00:02 +0200] "-" 408 0 "-" "-"`;

  test('the requests that the webmail handled become its log; other lines are counted', async () => {
    expect(await call('replay --from access-log --order sort', { stdin: LOG })).toEqual({
      exit: 0,
      stdout: groupAt(SECOND, '/webmail/?a="') + groupAt(SECOND + 1),
      stderr: 'webmail-diaglog: <stdin>: 1 line passed over that the webmail did not handle, 1 broken line\n',
    });
    const { stdout } = await call('replay --from access-log --prefixes mail,x', { stdin: LOG });
    expect(stdout).toBe(groupAt(SECOND + 1));
    const { stderr } = await call('replay --from access-log --every-line --order keep', { stdin: LOG });
    expect(stderr).toBe('webmail-diaglog: <stdin>: 0 lines passed over that the webmail did not handle, 1 broken line\n');
  });

  test('a step back names --order sort', async () => {
    expect(await call('replay --from access-log', { stdin: LOG })).toEqual({
      exit: 1,
      stdout: groupAt(SECOND + 1),
      stderr: expect.stringMatching(
        /<stdin>:2: .* or give --order sort or --order keep \(1 group written, stopped at line 2\)\n$/,
      ),
    });
  });

  /** Writes access logs to a folder: the newest, the one before, and the oldest as gzip. */
  const rotated = (newest = lineAt(5, '/e/')): string =>
    makeFolder({
      'access.log': `garbage\n${newest}`,
      'access.log.1': lineAt(3, '/c/') + lineAt(4, '/d/'),
      'access.log.2.gz': gzipSync(lineAt(1, '/a/') + lineAt(2, '/b/').trimEnd()),
    });

  test('reads several as one, in the order of their first lines, gzip too', async () => {
    const groups = ['/a/', '/b/', '/c/', '/d/', '/e/'].map((target, index) => groupAt(SECOND + 1 + index, target)).join('');
    const files = 'access.log access.log.1 access.log.2.gz';
    const stderr = 'webmail-diaglog: access.log: 0 lines passed over that the webmail did not handle, 1 broken line\n';
    const cwd = rotated();
    expect(await call(`replay --from access-log ${files}`, { cwd })).toEqual({ exit: 0, stdout: groups, stderr });
    expect((await call(`replay --from access-log --loop 2 ${files}`, { cwd })).stdout.length).toBe(2 * groups.length);
    const piped = await call(`replay --from access-log - ${files}`, { cwd, stdin: lineAt(9, '/z/') });
    expect(piped.stdout).toBe(groups + groupAt(SECOND + 9, '/z/'));
  });

  test('a step back names the files and their own lines', async () => {
    const cwd = rotated(lineAt(3, '/e/'));
    expect(await call('replay --from access-log access.log.1 access.log', { cwd })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(
        'access.log:2: 18-May-2025 12:00:03 +0200 is before 18-May-2025 12:00:04 +0200 of line 2 of access.log.1; sort the list',
      ),
    });
  });

  test('lines of JSON are read too; a file that is no access log at all is said to be none', async () => {
    const cwd = makeFolder({
      'a.json': `{"when": ${String(SECOND + 1)}, "url": "/mail/"}\n`,
      'b.json': `{"when": ${String(SECOND)}, "url": "/poczta/"}\n`,
    });
    const stdout = groupAt(SECOND, '/poczta/') + groupAt(SECOND + 1);
    const named = 'replay --from access-json --keys time=when,target=url a.json b.json';
    expect(await call(named, { cwd })).toEqual({ exit: 0, stdout, stderr: '' });
    const none = '0 lines passed over that the webmail did not handle, 1 broken line; no line is';
    expect(await callEach(['replay --from access-json a.json', 'replay --from access-log'], { cwd, stdin: ROW })).toEqual([
      refused(`a.json: ${none} JSON with a time and a target, check the file, --from and --keys`, 1),
      refused(`<stdin>: ${none} one of the Common or Combined format, check the file and --from`, 1),
    ]);
  });
});

describe('replay in time', () => {
  test('--start now --speed: the first request lands on the present, gaps are divided', async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const stdin = `${String(SECOND)},/a\n${String(SECOND + 3600)},/b\n`;
    const { stdout, stderr } = await call('replay --start now --speed 36000', { stdin });
    const seconds = Array.from({ length: 100 }, (_, index) => startedAt + index);
    const first = seconds.find((second) => stdout.startsWith(groupAt(second, '/a'))) ?? Infinity;
    expect(first).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    const last = stdout.slice(groupAt(SECOND, '/a').length);
    expect([groupAt(first, '/b'), groupAt(first + 1, '/b')]).toContain(last);
    expect(stderr).toMatch(/^webmail-diaglog: 2 groups in real time, late by /);
  });

  test('a list that is re-timed is compared with the log at its new times', async () => {
    const cwd = makeFolder();
    const calls = ['now', '9999-01-01', 'now'].map((start) => `replay --start ${start} -o e.log`);
    const [first, second, third] = await callEach(calls, { cwd, stdin: ROW });
    expect([first?.exit, second?.exit, third?.exit]).toEqual([0, 0, 1]);
    expect(third?.stderr).toContain(' is before 01-Jan-9999 00:00:00 +0100 of the last load failure in e.log; ');
  });

  test('an empty list cannot be played for ever', async () => {
    const cwd = makeFolder({ 'r.csv': '# nothing\n' });
    expect(await call('replay --loop forever r.csv', { cwd })).toEqual(
      refused('r.csv: has no requests to play forever; give a list with at least one request (0 groups written)', 1),
    );
  });

  test('a list is read any number of times; its bad rows are reported once', async () => {
    const cwd = makeFolder({ 'bad.csv': `x,/\n${ROW}` });
    const bad = await call('replay --loop 3 --on-bad-row skip bad.csv', { cwd });
    expect(bad.stdout).toBe(GROUP + groupAt(SECOND + 1) + groupAt(SECOND + 2));
    expect(bad.stderr.match(/\n/g)).toHaveLength(2);
  });
});
