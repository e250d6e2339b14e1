import { describe, expect, test } from '@jest/globals';
import { createDeployment, type DeploymentOptions } from '../../../src/log/deployment.js';
import { call, callEach, expectRefused } from '../../support/call.js';
import { GROUP, groupAt, SECOND } from '../../support/records.js';
import { finish, followOutput, makeFolder, readBytes, refused, startRun } from '../../support/run.js';

const HEADER = 'timestamp,http_method,request_target\n';
const LISTED = '2025-05-18T12:00:00+02:00,GET,/mail/\n';

const groupOf = (target: string, options: DeploymentOptions = {}): string => groupAt(SECOND, target, createDeployment(options));

describe('parse --as requests', () => {
  test.each([
    ['one group', GROUP, LISTED],
    ['none: the header alone', '', ''],
    ['no LF at the end', GROUP.slice(0, -1), LISTED],
    ['a comma and quotes', groupOf('/a,"b"'), '2025-05-18T12:00:00+02:00,GET,"/a,""b"""\n'],
    ['bytes that are no text', groupOf('/\xff\x85'), '2025-05-18T12:00:00+02:00,GET,/\xff\x85\n'],
    ['what replay refuses: unchanged', groupOf('*').replaceAll('GET', 'OPTIONS'), '2025-05-18T12:00:00+02:00,OPTIONS,*\n'],
    ['an impossible offset: unchanged', GROUP.replaceAll('+0200', '+9999'), LISTED.replace('+02:00', '+99:99')],
  ])('%s', async (_what, stdin, rows) => {
    expect(await call('parse', { stdin })).toEqual({ exit: 0, stdout: HEADER + rows, stderr: '' });
  });

  test('foreign lines and incomplete groups are counted, with their lines', async () => {
    const cut = GROUP.split('\n').slice(5).join('\n');
    expect(await call('parse -', { stdin: `${cut}x\n${GROUP}y\n\n${cut}` })).toEqual({
      exit: 0,
      stdout: HEADER + LISTED,
      stderr:
        'webmail-diaglog: <stdin>: 3 foreign lines passed over (at lines 4, 13 and 14)\n' +
        'webmail-diaglog: <stdin>: 2 incomplete groups passed over (begin at lines 1 and 15)\n',
    });
    expect((await call('parse', { stdin: `${GROUP}\n` })).stderr).toBe(
      'webmail-diaglog: <stdin>: 1 foreign line passed over (at line 9)\n',
    );
  });

  test('--as records says what becomes of a group with a missing record', async () => {
    const { stderr } = await call('parse --as records', { stdin: GROUP.slice(GROUP.indexOf('\n') + 1) + GROUP });
    expect(stderr).toBe('webmail-diaglog: <stdin>: 1 incomplete group written as records of no group (begins at line 1)\n');
  });

  test('1.3 only LF ends a record: that lines are foreign for a CR is said', async () => {
    const stdin = `x\r\n${GROUP.replaceAll('\n', '\r\n')}`;
    const remedy = "end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …";
    const { exit, stderr } = await call('parse', { stdin });
    expect(exit).toBe(1);
    expect(stderr).toBe(
      'webmail-diaglog: <stdin>: 9 foreign lines passed over (the first at lines 1, 2, 3, 4 and 5), 8 of them because of a CR at the end; ' +
        `${remedy}\n`,
    );
    expect((await call('parse --foreign stop', { stdin: stdin.slice(3) })).stderr).toBe(
      `webmail-diaglog: <stdin>:1: the record has a CR at its end; ${remedy} (0 rows written, stopped at line 1)\n`,
    );
  });

  test('--foreign stop ends at the first foreign line, after the rows before it', async () => {
    expect(await call('parse --foreign stop', { stdin: `${GROUP}PHP \x1b[31mFatal\n${GROUP}` })).toEqual({
      exit: 1,
      stdout: HEADER + LISTED,
      stderr:
        'webmail-diaglog: <stdin>:9: "PHP \\x1b[31mFatal" is not a record of this log; take it out, or give --foreign skip' +
        ' (1 row written, stopped at line 9)\n',
    });
  });

  test('-o appends, with one header', async () => {
    const cwd = makeFolder({ 'error.log': GROUP });
    await callEach(['parse error.log -o list.csv', 'parse error.log -o list.csv'], { cwd });
    expect(readBytes(cwd, 'list.csv')).toBe(HEADER + LISTED + LISTED);
  });

  test('a group that trickles in is written at once', async () => {
    const child = startRun('parse');
    const written = followOutput(child);
    for (let count = 1; count <= 3; count += 1) {
      child.stdin?.write(GROUP.slice(0, 1000));
      child.stdin?.write(GROUP.slice(1000));
      await written(HEADER.length + count * LISTED.length);
    }
    expect(await written(0)).toBe(HEADER + LISTED.repeat(3));
    expect((await finish(child)).exit).toBe(0);
  });
});

test('parse --as deployment refuses a file that holds something already: two objects in one are no deployment file', async () => {
  const cwd = makeFolder();
  const words = 'parse --as deployment -o site.json';
  expect((await call(words, { cwd, stdin: GROUP })).exit).toBe(0);
  const site = readBytes(cwd, 'site.json');
  const message = 'site.json: the file is not empty, and a deployment file holds one object; name a new file';
  expect(await call(words, { cwd, stdin: GROUP })).toEqual(refused(message));
  expect(readBytes(cwd, 'site.json')).toBe(site);
});

describe('parse --foreign emit', () => {
  const [first = '', ...others] = GROUP.split('\n');

  test('records: foreign lines stand among the objects, in order', async () => {
    const stdin = `\xff "a"\n${first}\n[x\n${others.join('\n')}`;
    const { exit, stdout, stderr } = await call('parse --as records --foreign emit', { stdin });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('{"kind":"foreign","line":1,"text":"\xef\xbf\xbd \\"a\\"","text_base64":"/yAiYSI="}');
    expect(lines[2]).toBe('{"kind":"foreign","line":3,"text":"[x"}');
    expect(lines.slice(0, -1).map((line) => /"line":(\d+)/.exec(line)?.[1])).toEqual(
      Array.from({ length: 10 }, (_, index) => String(index + 1)),
    );
  });

  test.each(['records', 'ecs', 'otel'])('%s: a log of foreign lines alone is exit 0', async (form) => {
    const { exit, stdout, stderr } = await call(['parse', '--as', form, '--foreign', 'emit'], { stdin: 'x\n' });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/^\{.*"x".*\}\n$/);
  });
});

test('parse --as otel: the version of its scope is that of the program', async () => {
  const [version, { stdout }] = await Promise.all([call('--version'), call('parse --as otel', { stdin: GROUP })]);
  expect(stdout).toContain(`"scope":{"name":"webmail-diaglog","version":"${version.stdout.trim()}"}`);
});

test('calls that are refused', async () => {
  await expectRefused('parse', makeFolder(), {
    'missing.log': 'missing.log: no such file or folder; check the path',
    '--as xml': /option '--as <form>' argument 'xml' is invalid/,
    '--foreign x': /option '--foreign <action>' argument 'x' is invalid/,
    '--foreign emit': '--foreign: "emit" cannot be combined with --as requests; give --as records, ecs or otel',
    '--as deployment --foreign emit': '--foreign: "emit" cannot be combined with --as deployment; give --as records, ecs or otel',
  });
});
