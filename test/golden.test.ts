import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call, callEach } from './support/call.js';
import { PROJECT, readBytes } from './support/run.js';

const fixture = (path: string): string => readBytes(PROJECT, 'fixtures', path);

test('the 329 requests of a real installation give its log, in the dialect of the specification', async () => {
  const { exit, stdout, stderr } = await call('replay fixtures/requests.csv');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout === fixture('requests.log')).toBe(true);
});

test('the captured log of a real installation is reproduced byte for byte, a clock set back included', async () => {
  const { exit, stdout, stderr } = await call('replay --order keep --dialect php fixtures/captured/requests.csv');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout === fixture('captured/error.log')).toBe(true);
});

test.each(['nginx', 'apache'])('the access log that %s wrote gives the log of the requests in it', async (server) => {
  const fromAccessLog = await call(['replay', '--from', 'access-log', `fixtures/access-log/${server}.log`]);
  const fromList = await call(['replay', `fixtures/access-log/${server}.csv`]);
  expect(fromAccessLog.exit).toBe(0);
  expect(fromAccessLog.stderr).toMatch(/: \d+ lines passed over that the webmail did not handle, 5 broken lines\n$/);
  expect(fromAccessLog.stdout.length).toBeGreaterThan(2_000_000);
  expect(fromAccessLog.stdout === fromList.stdout).toBe(true);
});

describe('parse: the records of all captures, and what stands between them', () => {
  const captures = ['requests.log', 'captured/error.log', 'captured/concurrent.log.gz', 'captured/concurrent-16.log.gz'];
  const rotated = ['rotated/error.log', 'rotated/error.log.1', 'rotated/error.log.2.gz'];

  /** A byte string: the captures one behind the other, unpacked. */
  function joinCaptures(): string {
    const read = (path: string): Buffer => readFileSync(join(PROJECT, 'fixtures', path));
    return captures.map((path) => (path.endsWith('.gz') ? gunzipSync(read(path)) : read(path)).toString('latin1')).join('');
  }

  /** SHA-256 of a byte string, with another version of this program replaced. */
  function digestOf(documents: string): string {
    const text = documents.replaceAll(/(?<="scope":\{"name":"webmail-diaglog","version":")[^"]*/g, '0.1.0');
    return createHash('sha256').update(text, 'latin1').digest('hex');
  }

  // Made when every document was formatted by itself. Which of the equal deprecation records of a second a group has is not specified:
  // their groups, and the instants of four whose groups span two seconds, changed when logs were first read by one reader.
  test('of several files, in each form', async () => {
    const logs = [...captures, ...rotated].join(' ');
    const calls = ['records', 'ecs', 'otel'].map((form) => `parse --as ${form} --foreign emit ${logs}`);
    const results = await callEach(calls, { cwd: join(PROJECT, 'fixtures') });
    expect(results.map(({ exit, stdout }) => [exit, digestOf(stdout)])).toEqual([
      [0, 'eb98a70f52a7e59b34b91265c34a26b9e4514c960b1993bf921f0a6ad70cec43'],
      [0, 'af52d5b0f1306ff5a2e0f2b22792e7f1923c5a5758b78f63262de23ff8c275eb'],
      [0, '21bfb277f09ccc78b3b92533dec805d84fbc18975e1efd38666c591f8c62cf83'],
    ]);
  });

  test('of one', async () => {
    const { exit, stdout } = await call('parse --as records --foreign emit', { stdin: joinCaptures() });
    expect([exit, digestOf(stdout)]).toEqual([0, 'e65566256f51fa3c1a9a380e111d7c4e1d40bb8ef961590bc520183ffdc12dfe']);
  });
});
