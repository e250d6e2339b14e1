import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { call } from '../../support/call.js';
import { makeFolder, outcome, PROJECT, readBytes, runShell, startRun } from '../../support/run.js';

const GOLDEN = readFileSync(join(PROJECT, 'fixtures/stats/plain.txt'), 'utf8');

test('stats: a report on stdout, and the same appended with -o', async () => {
  const cwd = makeFolder();
  const log = join(PROJECT, 'fixtures/requests.log');
  writeFileSync(join(cwd, 'report.txt'), 'before\n');
  expect(
    await runShell(`webmail-diaglog stats < ${log}; webmail-diaglog stats -o report.txt - < ${log}; cat report.txt`, { cwd }),
  ).toEqual({
    exit: 0,
    stdout: `${GOLDEN}before\n${GOLDEN}`.replaceAll('x.log', '<stdin>'),
    stderr: '',
  });
});

test.each([
  [
    'bytes that are no text',
    '\xff\x00\x1b[31m\n\x9b',
    '2 foreign lines passed over (at lines 1 and 2); no line is a record, check the file',
  ],
  [
    'a log with CRLF',
    readBytes(PROJECT, 'fixtures/requests.log').split('\n', 1).join('').concat('\r\n'),
    "1 foreign line passed over (at line 1), 1 of them because of a CR at the end; end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …",
  ],
])('stats: %s holds nothing usable: exit 1, after the report', async (_what, stdin, message) => {
  const { exit, stdout, stderr } = await call('stats', { stdin });
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: `webmail-diaglog: <stdin>: ${message}\n` });
  expect(stdout).toMatch(/^foreign {5}[12] lines? /m);
});

test('stats --json: one line, of an empty log too', async () => {
  const { stdout } = await call('stats --json fixtures/requests.log');
  expect(stdout).toMatch(/^.*\n$/);
  expect(JSON.parse(stdout)).toMatchObject({ groups: 329, records: 2632, span_seconds: 7_742_874 });
  const { exit, stdout: empty, stderr } = await call('stats --json', { stdin: '' });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(JSON.parse(empty)).toMatchObject({ groups: 0 });
});

test('stats: a signal ends it, and it says how many lines have been read', async () => {
  const child = startRun('stats');
  child.stdin?.on('error', () => undefined);
  // The run has taken most of this when it asks for more.
  child.stdin?.write('line\n'.repeat(200_000));
  await once(child.stdin ?? child, 'drain');
  child.kill('SIGINT');
  const { exit, stdout, stderr } = await outcome(child);
  expect({ exit, stdout }).toEqual({ exit: 'SIGINT', stdout: '' });
  expect(stderr).toMatch(/^webmail-diaglog: ended by SIGINT \(0 reports written, stopped after line [1-9]\d+\)\n$/);
});
