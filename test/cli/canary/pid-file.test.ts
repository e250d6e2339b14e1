import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeFolder, outcome, run, startRun } from '../../support/run.js';
import { until } from '../../support/until.js';

test('--pid-file holds the id of the process while the canary runs, and is gone after it, signal or not', async () => {
  const cwd = makeFolder();
  const child = startRun(['canary', 'app.log', 'app.log.copy', '--pid-file', 'canary.pid', '--late', '1s'], { cwd });
  const ended = outcome(child);
  const file = join(cwd, 'canary.pid');
  await until(() => existsSync(file));
  expect(readFileSync(file, 'utf8')).toBe(`${String(child.pid)}\n`);
  await until(() => existsSync(join(cwd, 'app.log')));
  child.kill('SIGTERM');
  expect((await ended).stderr).toContain('ended by SIGTERM');
  expect(readdirSync(cwd)).toEqual(['app.log']);
});

test('a file that cannot be written is named, and no canary runs', async () => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'canary.pid'));
  const { exit, stderr } = await run(['canary', 'app.log', 'got.log', '--pid-file', 'canary.pid'], { cwd });
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: 'webmail-diaglog: canary.pid: is a folder; name a file\n' });
  expect(readdirSync(cwd)).toEqual(['canary.pid']);
});

test('a file that holds anything else, such as a log, is refused and stays', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'app.log'), 'a log\n');
  const { exit, stderr } = await run(['canary', 'app.log', 'got.log', '--pid-file', 'app.log'], { cwd });
  const message = 'app.log: is there, and does not hold the id of a process; name another file';
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: `webmail-diaglog: ${message}\n` });
  expect(readFileSync(join(cwd, 'app.log'), 'utf8')).toBe('a log\n');
});
