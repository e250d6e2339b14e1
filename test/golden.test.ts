import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT, run } from './support/run.js';

function fixture(path: string): string {
  return readFileSync(join(PROJECT, 'fixtures', path), 'latin1');
}

test('the 329 requests of a real installation give its log, in the dialect of the specification', async () => {
  const { exit, stdout, stderr } = await run(['replay', 'fixtures/requests.csv']);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout === fixture('requests.log')).toBe(true);
});

test('the captured log of a real installation is reproduced byte for byte, a clock set back included', async () => {
  const args = ['replay', '--order', 'keep', '--dialect', 'php', 'fixtures/captured/requests.csv'];
  const { exit, stdout, stderr } = await run(args);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout === fixture('captured/error.log')).toBe(true);
});

test.each(['nginx', 'apache'])('the access log that %s wrote gives the log of the requests in it', async (server) => {
  const fromAccessLog = await run(['replay', '--from', 'access-log', `fixtures/access-log/${server}.log`]);
  const fromList = await run(['replay', `fixtures/access-log/${server}.csv`]);
  expect(fromAccessLog.exit).toBe(0);
  expect(fromAccessLog.stderr).toMatch(/: \d+ lines passed over that the webmail did not handle, 5 broken lines\n$/);
  expect(fromAccessLog.stdout.length).toBeGreaterThan(2_000_000);
  expect(fromAccessLog.stdout === fromList.stdout).toBe(true);
});
