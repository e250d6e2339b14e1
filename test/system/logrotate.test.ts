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

const ROTATE = 'logrotate --force --state state logrotate.conf';

function configure(folder: string): void {
  const config = readFileSync(join(PROJECT, 'examples/logrotate/webmail-diaglog'), 'utf8')
    .replace('/var/log/webmail/error.log', join(folder, 'error.log'))
    .replaceAll('/run/webmail-diaglog.pid', join(folder, 'pid'));
  writeFileSync(join(folder, 'logrotate.conf'), config, { mode: 0o644 });
}

describeWith(['logrotate'], 'examples/logrotate', () => {
  test('a log that is rotated while it is written: the pieces are the whole log, and each holds whole groups', async () => {
    const cwd = makeFolder();
    const log = join(cwd, 'error.log');
    const child = startRun([...TRAFFIC, '--count', 'forever', '--speed', '1', '-o', log]);
    writeFileSync(join(cwd, 'pid'), String(child.pid));
    configure(cwd);
    for (let rotations = 0; rotations < 5; rotations += 1) {
      await until(() => sizeOf(log) > 100_000);
      expect(await runShell(ROTATE, { cwd })).toEqual({ exit: 0, stdout: '', stderr: '' });
    }
    await until(() => sizeOf(log) > 100_000);
    child.kill('SIGTERM');
    const { exit, stderr } = await outcome(child);
    expect(exit).toBe('SIGTERM');

    const names = ['error.log.5.gz', 'error.log.4.gz', 'error.log.3.gz', 'error.log.2.gz', 'error.log.1', 'error.log'];
    expect(new Set(readdirSync(cwd).filter((name) => name.startsWith('error.log')))).toEqual(new Set(names));
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
    configure(cwd);
    for (const pid of ['', '4194305']) {
      writeFileSync(join(cwd, 'pid'), pid);
      writeFileSync(log, 'x\n');
      expect((await runShell(ROTATE, { cwd })).exit).toBe(0);
      expect(sizeOf(log)).toBe(0);
    }
  });
});
