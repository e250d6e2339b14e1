import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call } from './support/call.js';
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
    const logs = captures.map((path) => readFileSync(join(PROJECT, 'fixtures', path)));
    return Buffer.concat(logs.map((log, index) => (captures[index]?.endsWith('.gz') === true ? gunzipSync(log) : log))).toString(
      'latin1',
    );
  }

  /** SHA-256 of a byte string, with another version of this program replaced. */
  function digestOf(documents: string): string {
    const text = documents.replaceAll(/(?<="scope":\{"name":"webmail-diaglog","version":")[^"]*/g, '0.1.0');
    return createHash('sha256').update(text, 'latin1').digest('hex');
  }

  // Made when every document was formatted by itself.
  test.each([
    [
      'records',
      'ea8155b876e6fd70ea9d83584595f6b6e89b3f0fe045312c43a0fdf0c7e15186',
      '63e9f936966ccf70a18d471b3b552a9db904772b21913962cd4b9d75ded8fa01',
    ],
    [
      'ecs',
      '06d897fd9d69c0526212d60805484c2fcfe1f481e8cea0ad9da41458d2b48aa4',
      '82731be20871e4699cdd85cbd2d18543609ecbf03999802aa5533120898f3d94',
    ],
    [
      'otel',
      '89349238fa7d502e69a1140ad8287f85fbe6f0424c9c6befa2e815d565db3dd3',
      '527f7d39ec8459d53ac6d0f46d432830dc398e2036470fd8bb055eee4c4b1e4f',
    ],
  ])('--as %s', async (form, ofSeveral, ofOne) => {
    const args = ['parse', '--as', form, '--foreign', 'emit'];
    const [several, one] = await Promise.all([
      call([...args, ...captures, ...rotated], { cwd: join(PROJECT, 'fixtures') }),
      call(args, { stdin: joinCaptures() }),
    ]);
    expect([several.exit, one.exit]).toEqual([0, 0]);
    expect([digestOf(several.stdout), digestOf(one.stdout)]).toEqual([ofSeveral, ofOne]);
  });
});
