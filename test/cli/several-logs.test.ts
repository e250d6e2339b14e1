import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call, expectRefused } from '../support/call.js';
import { GROUP, groupAt, SECOND } from '../support/records.js';
import { makeFolder, PROJECT, readBytes, runShell } from '../support/run.js';

const ROTATED = join(PROJECT, 'fixtures/rotated');
const NAMES = ['error.log.2.gz', 'error.log.1', 'error.log'];

/** The rotated log of fixtures/rotated as one byte string. */
const WHOLE = [gunzipSync(readFileSync(join(ROTATED, 'error.log.2.gz'))).toString('latin1')]
  .concat(['error.log.1', 'error.log'].map((name) => readBytes(ROTATED, name)))
  .join('');

/** A folder that holds a log and the first half of its gzip, cut within its data. */
function folderWithCutGzip(): string {
  const groups = Array.from({ length: 500 }, (_, index) => groupAt(SECOND + index, `/mail/?x=${String(index * 7919)}`));
  const packed = gzipSync(groups.join(''));
  return makeFolder({ 'cut.gz': packed.subarray(0, packed.length >> 1) });
}

describe('rotated logs, in whatever order they are given, are read as one', () => {
  test.each([
    ['error.log error.log.1 error.log.2.gz', ''],
    ['error.log.1 error.log.2.gz error.log', ''],
    ['error.log - error.log.1', 'error.log.2.gz'],
  ])('parse %s', async (args, stdin) => {
    const [one, others] = await Promise.all([
      call('parse', { stdin: WHOLE }),
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

  test('records name their file and their own line, in each form', async () => {
    const outputs: string[][] = [];
    for (const form of ['records', 'ecs', 'otel']) {
      const args = ['parse', '--as', form, '--foreign', 'emit', 'error.log', 'error.log.1', 'error.log.2.gz'];
      const { stdout, stderr, exit } = await call(args, { cwd: ROTATED });
      expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
      outputs.push(stdout.split('\n').slice(0, -1));
    }
    const lines = WHOLE.split('\n');
    expect(outputs.map(({ length }) => length)).toEqual(Array(3).fill(lines.length - 1));
    const [records = [], ecs = [], otel = []] = outputs;
    const at = lines.findIndex((line) => line.startsWith('Stack trace'));
    expect(JSON.parse(records[at] ?? '')).toEqual({ kind: 'foreign', source: 'error.log.1', line: 90, text: 'Stack trace:' });
    expect(JSON.parse(records.at(-1) ?? '')).toMatchObject({ kind: 'deprecation', source: 'error.log', line: 228, group: 79 });
    expect(JSON.parse(ecs.at(-1) ?? '')).toMatchObject({
      log: { file: { path: 'error.log' } },
      event: { sequence: records.length },
      webmail_diaglog: { line: 228, group: 79 },
    });
    expect(JSON.parse(ecs[at] ?? '')).toMatchObject({
      log: { file: { path: 'error.log.1' } },
      message: 'Stack trace:',
      event: { action: 'foreign', original: 'Stack trace:' },
    });
    expect(otel[at]).toContain('"eventName":"webmail_diaglog.foreign"');
    expect(otel[at]).toContain('{"key":"log.file.path","value":{"stringValue":"error.log.1"}}');
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

describe('a gzip that is cut: exit 1, after what came before', () => {
  const ENDS =
    /^webmail-diaglog: cut\.gz: its gzip ends early; copy the file again \((\d+) (\w+) written, stopped after line (\d+)\)\n$/;

  test('parse', async () => {
    const { exit, stdout, stderr } = await call('parse cut.gz', { cwd: folderWithCutGzip() });
    expect(exit).toBe(1);
    const rows = stdout.split('\n').length - 2;
    expect(rows).toBeGreaterThan(200);
    // The cut may be within a group.
    const message = stderr.replace(/^webmail-diaglog: cut\.gz: 1 incomplete group passed over .*\n/, '');
    expect(ENDS.exec(message)?.slice(1, 3)).toEqual([String(rows), 'rows']);
  });

  test('check has its summary, stats its report', async () => {
    const cwd = folderWithCutGzip();
    const [check, stats] = await Promise.all([call('check --allow incomplete cut.gz', { cwd }), call('stats cut.gz', { cwd })]);
    expect(check.stdout).toMatch(/^cut\.gz: 0 violations in 2\d\d groups, \d+ lines(?:; allowed: 1 incomplete)?\n$/);
    expect(check.stderr).toMatch(ENDS);
    const [, groups = ''] = / in (\d+) groups/.exec(check.stdout) ?? [];
    expect(stats.stdout).toContain(`\ngroups      ${groups}\n`);
    expect(stats.stderr).toBe('webmail-diaglog: cut.gz: its gzip ends early; copy the file again\n');
    expect([check.exit, stats.exit]).toEqual([1, 1]);
  });

  test('replay writes the groups of the rows before it', async () => {
    const rows = Array.from({ length: 5000 }, (_, index) => `${String(SECOND + index)},/mail/?x=${String(index * 7919)}\n`);
    const cwd = makeFolder({ 'list.gz': gzipSync(rows.join('')).subarray(0, -2000) });
    const { exit, stdout, stderr } = await call('replay list.gz', { cwd });
    const groups = stdout.split('\n').length >> 3;
    expect(groups).toBeGreaterThan(2000);
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr: `webmail-diaglog: list.gz: its gzip ends early; copy the file again (${String(groups)} groups written, stopped after line ${String(groups)})\n`,
    });
  });
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
