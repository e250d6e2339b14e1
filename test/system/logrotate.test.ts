import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { checked } from '../support/checked.js';
import { firstOfEndless } from '../support/endless.js';
import { describeWith } from '../support/programs.js';
import { makeFolder, outcome, PROJECT, runShell, startRun } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';

const TRAFFIC = ['synth', '--seed', '5', '--rate', '3000'];

describeWith(['logrotate'], 'examples/logrotate', () => {
  test('a log that is rotated while it is written: the pieces are the whole log, and each holds whole groups', async () => {
    const cwd = makeFolder();
    const log = join(cwd, 'error.log');
    const child = startRun([...TRAFFIC, '--count', 'forever', '--speed', '1', '-o', log]);
    writeFileSync(join(cwd, 'pid'), String(child.pid));
    const config = readFileSync(join(PROJECT, 'examples/logrotate/webmail-diaglog'), 'utf8')
      .replace('/var/log/webmail/error.log', log)
      .replaceAll('/run/webmail-diaglog.pid', join(cwd, 'pid'));
    writeFileSync(join(cwd, 'logrotate.conf'), config, { mode: 0o644 });
    for (let rotations = 0; rotations < 5; rotations += 1) {
      await until(() => sizeOf(log) > 100_000);
      expect(await runShell('logrotate --force --state state logrotate.conf', { cwd })).toEqual({
        exit: 0,
        stdout: '',
        stderr: '',
      });
    }
    await until(() => sizeOf(log) > 100_000);
    child.kill('SIGTERM');
    const { exit, stderr } = await outcome(child);
    expect(exit).toBe('SIGTERM');

    const names = ['error.log.5.gz', 'error.log.4.gz', 'error.log.3.gz', 'error.log.2.gz', 'error.log.1', 'error.log'];
    expect(
      readdirSync(cwd)
        .filter((name) => name.startsWith('error.log'))
        .toSorted(),
    ).toEqual(names.toSorted());
    const pieces = names.map((name) => {
      const bytes = readFileSync(join(cwd, name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    });
    for (const piece of pieces) expect((await checked(piece)).violations).toEqual([]);
    const groups = Number(/ended by SIGTERM \((\d+) groups written\)/.exec(stderr)?.[1]);
    const requests = firstOfEndless({ seed: 5, rate: 3000 }, groups);
    const whole = requests.map((request) => formatGroup(request, createDeployment())).join('');
    expect(pieces.join('') === whole).toBe(true);
  });

  test('without a run, or where one was killed, the log is rotated all the same', async () => {
    const cwd = makeFolder();
    const log = join(cwd, 'error.log');
    const config = readFileSync(join(PROJECT, 'examples/logrotate/webmail-diaglog'), 'utf8')
      .replace('/var/log/webmail/error.log', log)
      .replaceAll('/run/webmail-diaglog.pid', join(cwd, 'pid'));
    writeFileSync(join(cwd, 'logrotate.conf'), config, { mode: 0o644 });
    for (const pid of ['', '4194305']) {
      writeFileSync(join(cwd, 'pid'), pid);
      writeFileSync(log, 'x\n');
      expect((await runShell('logrotate --force --state state logrotate.conf', { cwd })).exit).toBe(0);
      expect(sizeOf(log)).toBe(0);
    }
  });
});
