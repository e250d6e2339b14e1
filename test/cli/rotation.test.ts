import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { call, callEach, expectRefused } from '../support/call.js';
import { checked } from '../support/checked.js';
import { rotatedIn } from '../support/rotated-files.js';
import { finish, followOutput, makeFolder, outcome, readBytes, refused, runShell, startRun, startShell } from '../support/run.js';
import { ROW } from '../support/records.js';
import { sizeOf, until } from '../support/until.js';

describe('rotation', () => {
  test.each(['rename', 'copytruncate'])(
    'at full speed by %s: the files together are the copy, each holds whole groups',
    async (how) => {
      const cwd = makeFolder();
      await callEach(['synth --count 5k --as requests -o requests.csv', 'synth --count 5k -o whole.log'], { cwd });
      const whole = readBytes(cwd, 'whole.log');
      for (const [index, traffic] of ['synth --count 5k', 'replay ../requests.csv'].entries()) {
        const folder = join(cwd, String(index));
        mkdirSync(folder);
        const rotation = `--rotate 500kB --rotate-keep 99 --rotate-how ${how} --tee sent.log`;
        const result = await call(`${traffic} -o error.log ${rotation}`, { cwd: folder });
        expect(result).toEqual({ exit: 0, stdout: '', stderr: '' });
        const files = rotatedIn(folder);
        expect(files.length).toBeGreaterThan(15);
        expect([files.join('') === whole, readBytes(folder, 'sent.log') === whole]).toEqual([true, true]);
        for (const file of files) {
          expect(file.length).toBeLessThanOrEqual(500_000);
          expect(file.split('\n').length % 8).toBe(1);
        }
      }
    },
  );

  test.each(['rename', 'copytruncate'])(
    'in real time by %s, while a reader follows and SIGHUP comes: nothing is lost or doubled',
    async (how) => {
      const cwd = makeFolder({ 'error.log': '' });
      const reader = startShell('exec tail -n +1 -F error.log', { cwd });
      const options = `--rotate-every 50ms --rotate 300kB --rotate-keep forever --rotate-how ${how}`;
      const words = `synth --live --rate 3k --count forever -o error.log --tee sent.log ${options}`;
      const child = startRun(words, { cwd });
      const followed = followOutput(reader);
      for (const number of [3, 6, 9, 12]) {
        await until(() => existsSync(join(cwd, `error.log.${String(number)}`)));
        child.kill('SIGHUP');
      }
      await followed(1);
      child.kill('SIGTERM');
      const { exit, stderr } = await outcome(child);
      reader.kill();
      await outcome(reader);
      expect(exit).toBe('SIGTERM');
      const files = rotatedIn(cwd);
      const sent = readBytes(cwd, 'sent.log');
      expect(files.join('') === sent).toBe(true);
      for (const file of files) expect((await checked(file)).violations).toEqual([]);
      expect(sent.split('\n').length - 1).toBe(8 * Number(/\((\d+) groups written\)/.exec(stderr)?.[1]));
    },
  );

  test('a list goes on without a header', async () => {
    const cwd = makeFolder();
    const list = 'synth --count 100 --as requests';
    const [rotated, whole] = await callEach([`${list} -o error.log --rotate 1kB --rotate-keep 99`, list], { cwd });
    expect(rotated?.exit).toBe(0);
    expect(rotatedIn(cwd).join('')).toBe(whole?.stdout);
    expect(rotatedIn(cwd).length).toBeGreaterThan(3);
  });

  test('a name that a folder takes during the run: exit 2, and the line says how many groups are written', async () => {
    const cwd = makeFolder();
    const child = startRun('replay -o error.log --rotate 2kB --tee sent.log', { cwd });
    const row = '2025-05-18T12:00:00,/mail/\n';
    child.stdin?.write(row);
    await until(() => sizeOf(join(cwd, 'error.log')) > 0);
    mkdirSync(join(cwd, 'error.log.1'));
    expect(await finish(child, { stdin: row.repeat(3) })).toEqual(
      refused('error.log.1: is a folder; move it away, because rotation needs the name (1 group written, stopped after line 1)'),
    );
    expect(readBytes(cwd, 'sent.log')).toBe(readBytes(cwd, 'error.log'));
  });
});

describe('--tee', () => {
  test.each([
    ['the copy may not grow', '--rotate 50kB --rotate-keep 99', 'sent.log'],
    ['the output may not grow', '', 'error.log'],
  ])('%s: exit 2, one line says how many groups stand, in both alike', async (_what, rotation, file) => {
    const cwd = makeFolder();
    // The log is larger than the copy from the beginning.
    if (rotation === '') await call('synth --count 2 -o error.log', { cwd });
    const before = rotatedIn(cwd).join('');
    const script = `ulimit -f 200; webmail-diaglog synth --count 1000 -o error.log ${rotation} --tee sent.log`;
    const { exit, stderr } = await runShell(script, { cwd });
    const sent = readBytes(cwd, 'sent.log');
    const groups = (sent.split('\n').length - 1) / 8;
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        `webmail-diaglog: ${file}: the file would exceed the size limit; raise the limit (ulimit -f) or name another file ` +
        `(${String(groups)} groups written)\n`,
    });
    expect(groups).toBeGreaterThan(50);
    expect(rotatedIn(cwd).join('') === before + sent).toBe(true);
    expect(await checked(sent)).toEqual({ groups, violations: [] });
  });

  test('to standard output beside a file, and to a file beside standard output', async () => {
    const script = `
      webmail-diaglog synth --count 20 --tee sent.log > stdout && cmp stdout sent.log
      webmail-diaglog synth --count 20 -o error.log --tee - | cmp - sent.log && cmp error.log sent.log
      webmail-diaglog synth --count 20 -o error.log --tee - | head -n 1 | wc -l; echo "\${PIPESTATUS[0]}"`;
    expect(await runShell(script, { cwd: makeFolder() })).toEqual({ exit: 0, stdout: '1\n0\n', stderr: '' });
  });

  test('the copy must be a file of its own: not the output, not what the run reads, not a name of the rotation', async () => {
    const contents = { 'r.csv': ROW, 'error.log': '', 'error.log.1': 'kept\n' };
    const cwd = makeFolder(contents);
    const isTee = 'the output is the tee file; name another file';
    await expectRefused('replay r.csv', cwd, {
      '-o error.log --tee error.log': `error.log: ${isTee}`,
      '--tee r.csv': 'r.csv: the output is the input file; name another file',
      '-o error.log --rotate 1kB --tee error.log.1':
        'error.log.1: is the tee file; move it away, because rotation needs the name',
    });
    const redirected = await runShell('webmail-diaglog replay r.csv --tee error.log > error.log', { cwd });
    expect(redirected).toEqual(refused(`<stdout>: ${isTee}`));
    for (const [name, content] of Object.entries(contents)) expect(readBytes(cwd, name)).toBe(content);
  });

  test('SIGHUP reopens the copy, too', async () => {
    const cwd = makeFolder();
    const [log, copy] = [join(cwd, 'error.log'), join(cwd, 'sent.log')];
    const child = startRun(['synth', '--rate', '1000', '--count', 'forever', '--speed', '1', '-o', log, '--tee', copy]);
    if (child.stderr) await Promise.race([until(() => sizeOf(log) > 0), once(child.stderr, 'data')]);
    for (const path of [log, copy]) renameSync(path, `${path}.old`);
    child.kill('SIGHUP');
    await until(() => sizeOf(log) > 0 && sizeOf(copy) > 0);
    child.kill('SIGTERM');
    expect((await outcome(child)).exit).toBe('SIGTERM');
    expect(readBytes(`${copy}.old`) + readBytes(copy)).toBe(readBytes(`${log}.old`) + readBytes(log));
  });
});
