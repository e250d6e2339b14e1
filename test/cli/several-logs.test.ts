import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call, expectRefused } from '../support/call.js';
import { GROUP, groupAt, SECOND } from '../support/records.js';
import { makeFolder, objectsOf, PROJECT, readBytes, runShell } from '../support/run.js';

const ROTATED = join(PROJECT, 'fixtures/rotated');
const NAMES = ['error.log.2.gz', 'error.log.1', 'error.log'];

describe('rotated logs, in whatever order they are given, are read as one', () => {
  test.each([
    ['error.log error.log.1 error.log.2.gz', ''],
    ['error.log.1 error.log.2.gz error.log', ''],
    ['error.log - error.log.1', 'error.log.2.gz'],
  ])('parse %s', async (args, stdin) => {
    const [one, others] = await Promise.all([
      runShell('{ zcat error.log.2.gz; cat error.log.1 error.log; } | webmail-diaglog parse', { cwd: ROTATED }),
      runShell(`webmail-diaglog parse ${args} ${stdin && `< ${stdin}`}`, { cwd: ROTATED }),
    ]);
    expect(others.stdout === one.stdout).toBe(true);
    expect(one.stdout.split('\n')).toHaveLength(81);
    const oldest = stdin === '' ? 'error.log.2.gz' : '<stdin>';
    expect(others.stderr).toBe(
      `webmail-diaglog: ${oldest}, error.log.1, error.log: 80 foreign lines passed over ` +
        `(the first at lines 17, 34, 51, 68 and 165 of ${oldest})\n`,
    );
  });

  test('records name their file and their own line', async () => {
    const { stdout } = await call(['parse', '--as', 'records', '--foreign', 'emit', ...NAMES], { cwd: ROTATED });
    const records = objectsOf(stdout);
    expect(records).toHaveLength(712);
    expect(records).toContainEqual({ kind: 'foreign', source: 'error.log.1', line: 90, text: 'Stack trace:' });
    expect(records.at(-1)).toMatchObject({ kind: 'deprecation', source: 'error.log', line: 228, group: 79 });
    const otel = await call('parse --as otel error.log error.log.1', { cwd: ROTATED });
    expect(otel.stdout).toContain('{"key":"log.file.path","value":{"stringValue":"error.log.1"}}');
  });

  test('check: a rotation within a group is no violation, and each violation is at its own line', async () => {
    const args = ['check', '--allow', 'foreign,interleaved'];
    expect(await call([...args, ...NAMES], { cwd: ROTATED })).toEqual({
      exit: 0,
      stdout:
        'error.log.2.gz, error.log.1, error.log: 0 violations in 79 groups, 712 lines; allowed: 80 foreign, 8 interleaved\n',
      stderr: '',
    });
    const { stdout } = await call([...args, '--json', '--allow', 'incomplete', 'error.log', 'error.log.2.gz'], { cwd: ROTATED });
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'summary',
      sources: ['error.log.2.gz', 'error.log'],
      allowed: { incomplete: 1 },
    });
    const interleaved = await call(['check', '--allow', 'foreign', '--max', '1', ...NAMES], { cwd: ROTATED });
    expect(interleaved.stdout.split('\n')[0]).toBe(
      'error.log.1:124: interleaved: a group begins before the group of line 117 has ended; expected one group after the other',
    );
  });

  test('stats: places name the file', async () => {
    const { stdout } = await call(['stats', '--json', ...NAMES.toReversed()], { cwd: ROTATED });
    expect(JSON.parse(stdout)).toMatchObject({
      sources: NAMES,
      groups: 79,
      incomplete_groups: 0,
      foreign_lines_at: [17, 34, 51, 68, 165].map((line) => ({ source: 'error.log.2.gz', line })),
    });
    const { stdout: text } = await call('stats error.log error.log.2.gz', { cwd: ROTATED });
    expect(text).toMatch(/^error\.log\.2\.gz, error\.log\n/);
    expect(text).toContain('\nincomplete  1 group (begins at error.log:1)\n');
  });

  test('a message names the file in which it stops', async () => {
    const args = ['parse', '--foreign', 'stop', 'error.log', 'error.log.1'];
    const { exit, stderr } = await call(args, { cwd: ROTATED });
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      /^webmail-diaglog: error\.log\.1:49: ".*" is not a record of this log; .* \(6 rows written, stopped at line 49\)\n$/,
    );
  });
});

test.each(['parse', 'check', 'stats'])('%s: none of several inputs is the output, and standard input is one', async (command) => {
  const cwd = makeFolder({ a: GROUP, b: GROUP });
  await expectRefused(command, cwd, {
    'a b -o b': 'b: the output is the input file; name another file',
    '- a -': '-: standard input can be read only once; name it once',
    'a missing -o out': 'missing: no such file or folder; check the path',
  });
  expect(readBytes(cwd, 'b')).toBe(GROUP);
  expect(existsSync(join(cwd, 'out'))).toBe(false);
});

test('a gzip that is cut: exit 1, after what came before', async () => {
  const groups = Array.from({ length: 500 }, (_, index) => groupAt(SECOND + index, `/mail/?x=${String(index * 7919)}`));
  const rows = Array.from({ length: 5000 }, (_, index) => `${String(SECOND + index)},/mail/?x=${String(index * 7919)}\n`);
  const [log, list] = [gzipSync(groups.join('')), gzipSync(rows.join(''))];
  const cwd = makeFolder({ 'cut.gz': log.subarray(0, log.length >> 1), 'list.gz': list.subarray(0, -2000) });
  const calls = ['parse cut.gz', 'check --allow incomplete cut.gz', 'stats cut.gz', 'replay list.gz'];
  const results = await Promise.all(calls.map((words) => call(words, { cwd })));
  expect(results.map(({ exit }) => exit)).toEqual([1, 1, 1, 1]);
  const [parsed = '', checked = '', stats = '', replayed = ''] = results.map(({ stdout }) => stdout);
  const [, whole = ''] = /^cut\.gz: 0 violations in (2\d\d) groups, \d+ lines(?:; allowed: 1 incomplete)?\n$/.exec(checked) ?? [];
  expect(stats).toContain(`\ngroups      ${whole}\n`);
  const rowsWritten = String(parsed.split('\n').length - 2);
  const groupsWritten = String(replayed.split('\n').length >> 3);
  const early = 'gz: its gzip ends early; copy the file again';
  expect(results.map(({ stderr }) => stderr.split('\n').at(-2))).toEqual([
    expect.stringMatching(`cut.${early} \\(${rowsWritten} rows written, stopped after line \\d+\\)$`),
    expect.stringMatching(`cut.${early} \\(0 violations written, stopped after line \\d+\\)$`),
    `webmail-diaglog: cut.${early}`,
    `webmail-diaglog: list.${early} (${groupsWritten} groups written, stopped after line ${groupsWritten})`,
  ]);
});

test('a log before a gzip of which nothing can be unpacked is read', async () => {
  const cwd = makeFolder({ 'error.log': GROUP, 'cut.gz': gzipSync(GROUP).subarray(0, 2) });
  const { exit, stdout, stderr } = await call('parse --as records error.log cut.gz', { cwd });
  expect({ exit, records: stdout.split('\n').length - 1, stderr }).toEqual({
    exit: 1,
    records: 8,
    stderr:
      'webmail-diaglog: cut.gz: its gzip ends early; copy the file again (8 records written, stopped after line 8 of error.log)\n',
  });
});

test('gzip is unpacked wherever a list is read, from a pipe too', async () => {
  const cwd = makeFolder({ 'list.gz': gzipSync('1747562400,/mail/\n'), 'targets.gz': gzipSync('/x/,1\n') });
  expect((await call('replay list.gz', { cwd })).stdout).toBe(GROUP);
  expect((await runShell('cat list.gz | webmail-diaglog replay', { cwd })).stdout).toBe(GROUP);
  expect((await call('replay --loop 2 list.gz', { cwd })).stdout.split('\n')).toHaveLength(17);
  expect((await call('synth --count 1 --targets targets.gz', { cwd })).stdout).toContain('(GET /x/)');
});
