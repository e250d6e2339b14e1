import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { type LogRequest } from '../../src/log/group.js';
import { readRequestList } from '../../src/requests/list/read-list.js';
import { chunksOf, collect } from '../support/bytes.js';
import { call, callEach, expectRefused } from '../support/call.js';
import { explainBrokenLog, readEntries } from '../support/explain.js';
import { firstOfEndless } from '../support/endless.js';
import { rotatedIn } from '../support/rotated-files.js';
import { makeFolder, outcome, readBytes, refused, run, runShell, startRun } from '../support/run.js';
import { groupAt, ROW } from '../support/records.js';
import { sizeOf, until } from '../support/until.js';

const SITE = createDeployment();

/** The requests that `synth` makes up by some options. */
async function requestsOf(options: string): Promise<readonly LogRequest[]> {
  const { stdout } = await call(`synth --mark r --as requests ${options}`);
  const batches = readRequestList(chunksOf(stdout), { timezone: SITE.timezone, source: 'requests.csv' });
  return (await collect(batches)).flat();
}

const readReport = (cwd: string): string => readFileSync(join(cwd, 'faults.ndjson'), 'utf8');
const linesIn = (text: string): number => text.split('\n').length - 1;

/** How many groups a message says that a run has written. */
const writtenBy = (stderr: string): number => Number(/\((\d+) groups? written/.exec(stderr)?.[1]);

const RATES = 'all:0.03,late:0.1,interleave:0.1';
const BREAK = `--faults ${RATES} --fault-report faults.ndjson`;
const TRAFFIC = '--count 2000 --rate 1';

describe('a log and its report', () => {
  test('explain each other, rotated and with a copy; no file begins or ends within a cluster', async () => {
    const requests = await requestsOf(TRAFFIC);
    const cwd = makeFolder();
    const words = `synth --mark r ${TRAFFIC} ${BREAK} -o error.log --rotate 200kB --rotate-keep 99 --tee sent.log`;
    const { exit, stderr } = await call(words, { cwd });
    const report = readReport(cwd);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringMatching(`^webmail-diaglog: ${String(linesIn(report))} faults: \\d+ torn, .*\n$`),
    });
    const files = rotatedIn(cwd);
    expect(files.length).toBeGreaterThan(10);
    expect(files.join('') === readBytes(cwd, 'sent.log')).toBe(true);
    explainBrokenLog(requests, SITE, files.join(''), report);
    const clusters = readEntries(report).filter(({ kind }) => kind === 'interleave');
    expect(clusters.length).toBeGreaterThan(100);
    let last = 0;
    for (const file of files) {
      last += linesIn(file);
      expect(clusters.filter(({ line, lines }) => line <= last && line + lines - 1 > last)).toEqual([]);
    }
  });

  test('of slices are, one after the other, those of the whole', async () => {
    const cwd = makeFolder();
    const words = `synth ${TRAFFIC} --faults ${RATES}`;
    const slices = ['1', '2', '3'].map((n) => `${words} --shard ${n}/3 -o ${n}.log --fault-report ${n}.ndjson`);
    await callEach([...slices, `${words} -o whole.log --fault-report faults.ndjson`], { cwd });
    const joined = (ending: string): string => ['1', '2', '3'].map((n) => readBytes(cwd, n + ending)).join('');
    expect(joined('.log') === readBytes(cwd, 'whole.log')).toBe(true);
    expect(linesIn(joined('.ndjson'))).toBe(linesIn(readReport(cwd)));
  });

  test('count lines from the first that a run writes, also where it appends to half a record; the report is written anew', async () => {
    const requests = await requestsOf('--count 300 --rate 1');
    const before = `${groupAt(0)}half a rec`;
    const cwd = makeFolder({ 'error.log': before, 'faults.ndjson': 'of another run\n'.repeat(1000) });
    const { exit } = await call(`synth --mark r --count 300 --rate 1 ${BREAK} -o error.log`, { cwd });
    expect(exit).toBe(0);
    explainBrokenLog(requests, SITE, readBytes(cwd, 'error.log').slice(before.length + 1), readReport(cwd));
  });

  test('hold what came before a bad row, the groups that were held included', async () => {
    const requests = await requestsOf('--count 200 --rate 1');
    const cwd = makeFolder();
    const list = await call('synth --mark r --count 200 --rate 1 --as requests', { cwd });
    writeFileSync(join(cwd, 'r.csv'), `${list.stdout}noon,GET,/\n`, 'latin1');
    const { exit, stderr } = await call(`replay r.csv ${BREAK} -o error.log`, { cwd });
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr: expect.stringMatching(/faults: .*\n.*r\.csv:202: .*stopped at line 202\)\n$/),
    });
    expect(writtenBy(stderr)).toBe(200);
    explainBrokenLog(requests, SITE, readBytes(cwd, 'error.log'), readReport(cwd));
  });

  test.each(['-o error.log', '>> error.log'])('hold what stands in a file that may not grow (%s)', async (to) => {
    const requests = await requestsOf(TRAFFIC);
    const cwd = makeFolder();
    const { exit, stderr } = await runShell(`ulimit -f 500; webmail-diaglog synth --mark r ${TRAFFIC} ${BREAK} ${to}`, { cwd });
    const groups = writtenBy(stderr);
    expect(exit).toBe(2);
    expect(groups).toBeGreaterThan(200);
    expect(readEntries(readReport(cwd)).length).toBeGreaterThan(20);
    explainBrokenLog(requests.slice(0, groups), SITE, readBytes(cwd, 'error.log'), readReport(cwd));
  });

  test('hold what was written in real time when a signal comes, over rotations', async () => {
    const cwd = makeFolder();
    const files = '-o error.log --tee sent.log --rotate 1MB --rotate-keep forever';
    const words = `synth --mark r --rate 2k --count forever --speed 1 ${BREAK} ${files}`;
    const child = startRun(words, { cwd });
    await until(() => sizeOf(join(cwd, 'error.log.2')) > 0);
    child.kill('SIGTERM');
    const { exit, stderr } = await outcome(child);
    expect(exit).toBe('SIGTERM');
    const groups = writtenBy(stderr);
    expect(groups).toBeGreaterThan(900);
    const log = rotatedIn(cwd).join('');
    expect(log === readBytes(cwd, 'sent.log')).toBe(true);
    explainBrokenLog(firstOfEndless({ mark: 'r', rate: 2000 }, groups), SITE, log, readReport(cwd));
  });

  test('end with exit 2 where the report cannot be written; what stands in the log stands', async () => {
    const cwd = makeFolder();
    const { exit, stderr } = await call('synth --count 100 --faults all:0.05 --fault-report /dev/full -o error.log', { cwd });
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /\nwebmail-diaglog: \/dev\/full: no space left on the device; free some space \(\d+ groups written\)\n$/,
    );
    const groups = writtenBy(stderr);
    expect(Math.abs(linesIn(readBytes(cwd, 'error.log')) - 8 * groups)).toBeLessThan(groups);
    expect(groups).toBeGreaterThan(10);
  });

  test('end without a word when the reader goes away; the report is whole lines', async () => {
    const cwd = makeFolder();
    const script = `webmail-diaglog synth --count 100k --rate 1 ${BREAK} | head -c 1000000 > some.log; echo \${PIPESTATUS[0]}`;
    expect(await runShell(script, { cwd })).toEqual({ exit: 0, stdout: '0\n', stderr: '' });
    expect(readEntries(readReport(cwd)).length).toBeGreaterThan(100);
  });

  test('go to two places at once: the report to standard output, the log to a file', async () => {
    const cwd = makeFolder();
    const { stdout, stderr } = await call('synth --faults late:0.01 --fault-report - -o error.log', { cwd });
    expect(stderr).toBe(`webmail-diaglog: ${String(linesIn(stdout))} faults: ${String(linesIn(stdout))} late\n`);
    expect(linesIn(stdout)).toBeGreaterThan(5);
  });
});

test('replay writes a group that is held when the input ends', async () => {
  const { stdout, stderr } = await run('replay --faults late:1', { stdin: ROW });
  expect(linesIn(stdout)).toBe(8);
  expect(stderr).toBe('webmail-diaglog: no faults; rate not reached: no suitable group for 1 late\n');
});

describe('files that are not the report', () => {
  test('are refused: exit 2, and all are as they were', async () => {
    const other = { 'error.log.1': 'x\n', 'site.json': '{}', 'own.log': '[of] another kind\n' };
    const contents = { 'r.csv': ROW, 'error.log': groupAt(0), ...other };
    const cwd = makeFolder(contents);
    const command = 'replay r.csv --faults torn:1';
    await expectRefused(command, cwd, {
      '-o error.log --fault-report error.log': /error\.log: the output is the fault report file/,
      '-o x.log --tee error.log --fault-report error.log': /error\.log: the output is the fault report file/,
      '--fault-report r.csv': /r\.csv: the output is the input file/,
      '--fault-report site.json --deployment site.json': /site\.json: the output is the deployment file/,
      '--foreign-from own.log --fault-report own.log': /own\.log: the output is the foreign record file/,
      '--foreign-from own.log -o own.log': /own\.log: the output is the foreign record file/,
      '--foreign-from none.log': /none\.log: no such file or folder/,
      '--rotate 1kB -o error.log --fault-report error.log.1': /error\.log\.1: is the fault report file/,
    });
    const { exit, stderr } = await runShell(`webmail-diaglog ${command} --fault-report error.log >> error.log`, { cwd });
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringContaining('<stdout>: the output is the fault report file'),
    });
    for (const [name, content] of Object.entries(contents)) expect(readBytes(cwd, name)).toBe(content);
  });

  test('a log without records of another kind is exit 1, and nothing is written', async () => {
    const result = await call('synth --faults foreign:1 --foreign-from -', { stdin: groupAt(0) });
    expect(result).toEqual(refused('<stdin>: contains no foreign records; give a log with records that begin with [', 1));
  });
});

test('what is said at the end stands in this order: lateness, faults, skipped rows; also if the disk is full', async () => {
  const cwd = makeFolder({ 'r.csv': 'timestamp,target\n1747562400,/mail/\nbad\n1747562400.1,/mail/\n' });
  const words = 'replay --on-bad-row skip --speed 100 --faults torn:1 r.csv';
  const said = '(?:.*)\n.* in real time, .*\n.*faults.*\n.*r\\.csv: 1 bad row passed over\n';
  expect((await call(words, { cwd })).stderr).toMatch(new RegExp(`^${said}$`));
  const full = await call(`${words} -o /dev/full`, { cwd });
  expect(full.stderr).toMatch(new RegExp(`^${said}webmail-diaglog: /dev/full: no space left on the device; .*\n$`));
  expect(full.exit).toBe(2);
});
