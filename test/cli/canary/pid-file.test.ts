import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { expectRefused } from '../../support/call.js';
import { makeFolder, outcome, startRun } from '../../support/run.js';
import { until } from '../../support/until.js';

test('--pid-file holds the id of the process while the canary runs, and is gone after it, signal or not', async () => {
  const cwd = makeFolder();
  const child = startRun('canary app.log app.log.copy --pid-file canary.pid --late 1s', { cwd });
  const ended = outcome(child);
  const file = join(cwd, 'canary.pid');
  await until(() => existsSync(file));
  expect(readFileSync(file, 'utf8')).toBe(`${String(child.pid)}\n`);
  await until(() => existsSync(join(cwd, 'app.log')));
  child.kill('SIGTERM');
  expect((await ended).stderr).toContain('ended by SIGTERM');
  expect(readdirSync(cwd)).toEqual(['app.log']);
});

test('what cannot hold the id alone is refused and stays, and no canary runs', async () => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'canary.pid'));
  writeFileSync(join(cwd, 'other.log'), 'a log\n');
  await expectRefused('canary app.log got.log', cwd, {
    '--pid-file canary.pid': 'canary.pid: is a folder; name a file',
    '--pid-file other.log': 'other.log: is there, and does not hold the id of a process; name another file',
    '--pid-file got.log': 'got.log: is used by this run; name another file',
    '--pid-file -': '--pid-file: standard output cannot hold it; name a file',
  });
  expect(readdirSync(cwd)).toEqual(['canary.pid', 'other.log']);
  expect(readFileSync(join(cwd, 'other.log'), 'utf8')).toBe('a log\n');
});
