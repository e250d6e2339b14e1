import { describe, expect, test } from '@jest/globals';
import { callEach } from '../support/call.js';
import { GROUP } from '../support/records.js';
import { makeFolder, PROJECT, runShell } from '../support/run.js';

const ROW = '2025-05-18T12:00:00,/mail/\n';

function runIn(script: string): ReturnType<typeof runShell> {
  const cwd = makeFolder({ 'r.csv': ROW });
  return runShell(script, { cwd });
}

describe('whatever stands in the environment, the log is the same', () => {
  test.each([
    [
      'TZ=Pacific/Apia LC_ALL=C HOME=/nonexistent',
      'TZ=Nonsense/Zone',
      'TZ=:/etc/passwd LANG=ja_JP.SJIS',
      'LC_ALL=tr_TR.UTF-8 LANG=',
      'LC_ALL=xx_YY.KOI8-R',
    ],
    ['NO_COLOR=1 FORCE_COLOR=3', 'CLICOLOR_FORCE=1 TERM=dumb', 'FORCE_COLOR=0 TERM=', '-u HOME -u PATH -u LANG', '-i'],
    ['NODE_OPTIONS=--throw-deprecation', 'NODE_OPTIONS=--pending-deprecation', 'NODE_OPTIONS=--unhandled-rejections=strict'],
    [
      'NODE_OPTIONS=--max-old-space-size=64',
      'NODE_OPTIONS=--disable-proto=throw',
      'NODE_OPTIONS=--disallow-code-generation-from-strings',
    ],
  ])('%s, …', async (...settings) => {
    const script = settings.map((setting) => `env ${setting} "\${program[@]}" replay r.csv || echo $?`).join('\n');
    expect(await runIn(script)).toEqual({ exit: 0, stdout: GROUP.repeat(settings.length), stderr: '' });
  });

  test('no help and no report has colours, whatever is set', async () => {
    const { stdout, stderr } = await runIn(`
      export FORCE_COLOR=3 CLICOLOR_FORCE=1 NO_COLOR=
      webmail-diaglog replay --help; webmail-diaglog replay r.csv | webmail-diaglog stats; webmail-diaglog replay --ordr`);
    expect(stdout).toContain('Usage: webmail-diaglog replay');
    expect(stdout).toContain('Requests by target');
    expect(stdout + stderr).not.toContain('\x1b');
  });
});

describe('stdin, stderr and the working folder may be missing', () => {
  test('a closed stdin is an empty list, and no matter where a file is named', async () => {
    const script = 'webmail-diaglog replay <&-; echo $?; webmail-diaglog replay r.csv <&-';
    expect(await runIn(script)).toEqual({ exit: 0, stdout: `0\n${GROUP}`, stderr: '' });
  });

  test.each(['2>&-', '2> /dev/full', '2> >(true)'])('exit codes are the same where nobody hears the message (%s)', async (to) => {
    const { stdout } = await runIn(`
      webmail-diaglog replay missing.csv ${to}; echo $?
      echo x | webmail-diaglog replay ${to}; echo $?
      webmail-diaglog ${to}; echo $?
      webmail-diaglog replay r.csv ${to}; echo $?`);
    expect(stdout).toBe(`2\n1\n2\n${GROUP}0\n`);
  });

  test('a removed or read-only working folder', async () => {
    const { stdout, stderr } = await runIn(`
      mkdir gone; cd gone; rmdir ../gone
      webmail-diaglog replay "$OLDPWD/r.csv"
      webmail-diaglog replay "$OLDPWD/r.csv" -o e.log; echo $?`);
    expect(stdout).toBe(`${GROUP}2\n`);
    expect(stderr).toBe('webmail-diaglog: e.log: its folder does not exist; make the folder, or check the path\n');
    // Read-only for everyone, root too.
    const script = `webmail-diaglog replay r.csv -o /proc/e.log; echo $?; cd /proc; webmail-diaglog replay "$OLDPWD/r.csv"`;
    const readOnly = await runIn(script);
    expect(readOnly.stdout).toBe(`2\n${GROUP}`);
    expect(readOnly.stderr).toMatch(/^webmail-diaglog: \/proc\/e\.log: [ -~]+; [ -~]+\n$/);
  });
});

test('a file that the permission model of Node refuses is a line of message: exit 2', async () => {
  const flag = Number(process.versions.node.split('.')[0]) < 23 ? '--experimental-permission' : '--permission';
  const { exit, stdout, stderr } = await runIn(`
    restricted=(node --no-warnings ${flag} --allow-fs-read='${PROJECT}' '${PROJECT}/bin/webmail-diaglog.js')
    "\${restricted[@]}" replay r.csv; echo $?
    "\${restricted[@]}" compare --wait 1s r.csv r.csv; echo $?
    "\${restricted[@]}" synth --count 1 -o e.log; echo $?`);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '2\n2\n2\n' });
  const refused = 'the permission model of Node refuses it; allow it with --allow-fs-read or --allow-fs-write';
  expect(stderr).toBe(['r.csv', 'r.csv', 'e.log'].map((name) => `webmail-diaglog: ${name}: ${refused}\n`).join(''));
});

describe('arguments of any bytes', () => {
  test('an argument that is not UTF-8 is refused: Node would make another file name of it', async () => {
    const { stdout, stderr } = await runIn(`
      cp r.csv $'\\xff.csv'
      webmail-diaglog replay $'\\xff.csv'; echo $?
      webmail-diaglog replay r.csv -o $'\\xff.log'; echo $?
      ls | wc -l`);
    expect(stdout).toBe('2\n2\n2\n');
    const remedy = 'the argument is not UTF-8; name it in UTF-8, or pipe in what it names';
    expect(stderr).toBe(`webmail-diaglog: \ufffd.csv: ${remedy}\nwebmail-diaglog: \ufffd.log: ${remedy}\n`);
  });

  test('long arguments, and those that a terminal acts on, are a line of plain text on stderr: exit 2', async () => {
    const hostile = 'a\x1b[2J\n\r\x07\x9b31m\u202e';
    const long = '0'.repeat(130_000);
    const replays = ['--order=', '--', '--deployment=', '--install-root=', '--plugins=b,', '--output=/x/'].flatMap((flag) => [
      ['replay', flag + hostile],
      ['replay', flag + long],
    ]);
    const others = ['synth --targets', 'check --allow', 'serve --host', 'serve --prefixes', 'replay a', 'replay', ''];
    const calls = [...replays, ...others.map((call) => [...call.split(' ').filter((word) => word !== ''), hostile]), [long]];
    const results = await callEach(calls, { cwd: makeFolder() });
    expect(results).toEqual(
      calls.map(() => ({ exit: 2, stdout: '', stderr: expect.stringMatching(/^webmail-diaglog: [ -~…]{1,5000}\n$/) })),
    );
  });
});
