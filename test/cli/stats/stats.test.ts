import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call, callEach, expectRefused } from '../../support/call.js';
import { readHtml, textOf } from '../../support/html.js';
import { makeFolder, outcome, PROJECT, readBytes, type RunResult, runShell, startRun } from '../../support/run.js';

const LOG = join(PROJECT, 'fixtures/requests.log');
const LINES = readFileSync(LOG, 'latin1').split(/(?<=\n)/);
const REPORT = readFileSync(join(PROJECT, 'fixtures/stats/plain.txt'), 'utf8');

/** The texts of the tiles at the head of a page: its requests, records, foreign lines and violations. */
const tilesOf = (page: string): readonly string[] =>
  readHtml(page)
    .filter(({ tag, path }) => tag === 'li' && path.includes('header'))
    .map(textOf);

const readPage = (folder: string): string => readFileSync(join(folder, 'page.html'), 'utf8');

/** Gives a run a log, and interrupts it when it has taken most of that and asks for more. */
async function interrupt(child: ChildProcess, log: string): Promise<RunResult> {
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(log);
  await once(child.stdin ?? child, 'drain');
  child.kill('SIGINT');
  return outcome(child);
}

test('stats: a report on stdout, and the same appended with -o', async () => {
  const cwd = makeFolder({ 'report.txt': 'before\n' });
  expect(
    await runShell(`webmail-diaglog stats < ${LOG}; webmail-diaglog stats -o report.txt - < ${LOG}; cat report.txt`, { cwd }),
  ).toEqual({
    exit: 0,
    stdout: `${REPORT}before\n${REPORT}`.replaceAll('x.log', '<stdin>'),
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
    (LINES[0] ?? '').replace('\n', '\r\n'),
    "1 foreign line passed over (at line 1), 1 of them because of a CR at the end; end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …",
  ],
])('stats: %s holds nothing usable: exit 1, after the report', async (_what, stdin, message) => {
  const { exit, stdout, stderr } = await call('stats', { stdin });
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: `webmail-diaglog: <stdin>: ${message}\n` });
  expect(stdout).toMatch(/^foreign {5}[12] lines? /m);
});

test('stats: a signal ends it, and it says how many lines have been read', async () => {
  expect(await interrupt(startRun('stats'), 'line\n'.repeat(200_000))).toEqual({
    exit: 'SIGINT',
    stdout: '',
    stderr: expect.stringMatching(/^webmail-diaglog: ended by SIGINT \(0 reports written, stopped after line [1-9]\d+\)\n$/),
  });
});

describe('stats --html', () => {
  test('writes the page to its file, in place of what is there, beside the report', async () => {
    const cwd = makeFolder({ 'page.html': '<!doctype html>'.repeat(100_000) });
    const { exit, stdout, stderr } = await call('stats --html page.html', { cwd, stdin: LINES.join('') });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: REPORT.replace('x.log', '<stdin>'), stderr: '' });
    expect(tilesOf(readPage(cwd))).toEqual(['329 requests', '2,632 records', '0 foreign lines', '0 violations']);
    expect(readdirSync(cwd)).toEqual(['page.html']);
  });

  test('of a pipe, of a file, of gzip and of several logs the page is the same but for the names', async () => {
    const second = gzipSync(Buffer.from(LINES.slice(1600).join(''), 'latin1'));
    const cwd = makeFolder({ 'a.log': LINES.slice(0, 1600).join(''), 'b.log.gz': second });
    const calls = ['', LOG, 'b.log.gz a.log'].map((logs) => `stats --html - ${logs}`);
    const piped = await runShell(`gzip -c ${LOG} | webmail-diaglog stats --html -`);
    const results = [...(await callEach(calls, { cwd, stdin: LINES.join('') })), piped];
    expect(results.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
    expect(new Set(results.map(({ stdout }) => stdout.replace(/(?<=<title>|<h1>)[^<]*/g, 'x'))).size).toBe(1);
  });

  test('-: the page replaces the report on stdout on stdout, and --json goes beside a page in a file', async () => {
    const cwd = makeFolder();
    const [page, json] = await callEach([`stats --html - ${LOG}`, `stats --json --html page.html ${LOG}`], { cwd });
    expect(page?.stdout).toMatch(/^<!doctype html>\n/);
    expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ groups: 329 });
    expect([page?.stderr, json?.stderr]).toEqual(['', '']);
    expect(tilesOf(readPage(cwd))).toContain('329 requests');
  });

  test('counts the violations that check --infer counts, but for ordinary ones, in the log of another installation too', async () => {
    const cwd = makeFolder();
    const { stdout: log } = await call('replay --install-root /srv/mail --plugins a,b fixtures/requests.csv');
    const lines = log.split('\n');
    lines[19] = (lines[19] ?? '').replace('193', '7');
    lines.splice(29, 0, 'x');
    lines.splice(9, 1);
    const calls = ['check --infer --json --max 0', 'stats --html page.html'];
    const [check] = await callEach(calls, { cwd, stdin: lines.join('\n') });
    expect(JSON.parse(check?.stdout ?? '')).toMatchObject({
      violations: 3,
      rules: { foreign: 1, incomplete: 1, 'line-number': 1 },
    });
    expect(tilesOf(readPage(cwd)).at(-1)).toBe('2 violations');
    expect(readPage(cwd)).toContain('<code>/srv/mail</code>');
  });

  test('a log that ends early: the page of what came before, which says so, and exit 1', async () => {
    const cwd = makeFolder();
    const log = gzipSync(Buffer.from(LINES.join(''), 'latin1'));
    writeFileSync(join(cwd, 'cut.gz'), log.subarray(0, log.length - 1000));
    const { exit, stdout, stderr } = await call('stats --html page.html cut.gz', { cwd });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(/^webmail-diaglog: cut\.gz: .*\n$/) });
    expect(stdout).toContain('groups ');
    expect(readPage(cwd)).toContain('The log was read only in part: cut.gz: ');
  });

  test('the page is written also when the reader of the report is gone, and to a FIFO', async () => {
    const cwd = makeFolder();
    const { stdout, stderr } = await runShell(
      `webmail-diaglog stats --html page.html ${LOG} | true; mkfifo fifo; webmail-diaglog stats --html fifo ${LOG} > report & head -n 1 fifo; wait`,
      { cwd },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '<!doctype html>\n', stderr: '' });
    expect(tilesOf(readPage(cwd))).toContain('329 requests');
  });

  test('a signal leaves the page of before, and nothing beside it', async () => {
    const cwd = makeFolder({ 'page.html': '<!DOCTYPE html>old\n' });
    // The run has made its own file, too, when it asks for more.
    expect(await interrupt(startRun('stats --html page.html', { cwd }), LINES.join('').repeat(20))).toMatchObject({
      exit: 'SIGINT',
      stderr: expect.stringMatching(/ended by SIGINT \(0 reports written/),
    });
    expect(readPage(cwd)).toBe('<!DOCTYPE html>old\n');
    expect(readdirSync(cwd)).toEqual(['page.html']);
  });

  test('the log itself and the file of -o are refused, and unchanged', async () => {
    const cwd = makeFolder({ 'x.log': LINES.join(''), report: 'before\n' });
    linkSync(join(cwd, 'x.log'), join(cwd, 'link.log'));
    await expectRefused('stats', cwd, {
      '--html link.log x.log': 'link.log: the output is the input file; name another file',
      '--html report -o report x.log': 'report: the output is the report file; name another file',
    });
    expect(readBytes(cwd, 'x.log')).toBe(LINES.join(''));
    expect(readBytes(cwd, 'report')).toBe('before\n');
    expect(readdirSync(cwd).toSorted()).toEqual(['link.log', 'report', 'x.log']);
  });

  test('what is not a page is refused in its place, and unchanged', async () => {
    const logs: Readonly<Record<string, Buffer>> = {
      'error.log': Buffer.from(LINES.join(''), 'latin1'),
      'error.log.2.gz': gzipSync(LINES.join('')),
      'syslog.log': Buffer.from('<11>May 18 12:00:00 webmail roundcube: x\n'),
    };
    const cwd = makeFolder(logs);
    const refusal = 'is not a page, and would be replaced by one; name the file of the page behind --html';
    const messages = Object.keys(logs).map((name): [string, string] => [name, `${name}: ${refusal}`]);
    await expectRefused(`stats ${LOG} --html`, cwd, Object.fromEntries(messages));
    for (const [name, bytes] of Object.entries(logs))
      expect([name, readFileSync(join(cwd, name)).equals(bytes)]).toEqual([name, true]);
    expect(readdirSync(cwd).toSorted()).toEqual(Object.keys(logs));
  });

  test('calls that are refused', async () => {
    await expectRefused('stats', makeFolder(), {
      "--html ''": '"": its folder does not exist; make the folder, or check the path',
      '--html - --json': '--html: the page replaces the report on stdout; name a file, or leave out --json',
      '--html - -o x': '--html: the page replaces the report on stdout; name a file, or leave out --output',
    });
  });
});
