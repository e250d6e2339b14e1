import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { expectRefused } from '../../support/call.js';
import { Pipeline, summaryOf } from '../../support/pipeline.js';
import { makeFolder, outcome, startRun } from '../../support/run.js';
import { sizeOf, until } from '../../support/until.js';

/** Starts a canary in a new folder at 50 requests a second. @param received the received file; a pipeline writes it, unless it is `-` */
function startCanary(received: string, ...args: readonly string[]) {
  const folder = makeFolder();
  const [log, out] = [join(folder, 'app.log'), join(folder, 'out.log')];
  const pipeline = received === '-' ? undefined : new Pipeline(log, out);
  const child = startRun(['canary', 'app.log', received, '--rate', '50', ...args], { cwd: folder });
  const ended = outcome(child).finally(() => pipeline?.end());
  return {
    log,
    child,
    ended,
    untilWritten: () => until(() => sizeOf(log) > 20_000),
    untilArrived: () => until(() => sizeOf(out) > 20_000),
  };
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s is its normal end: what is outstanding is waited for', async (signal) => {
  const { child, ended, untilArrived } = startCanary('out.log');
  await untilArrived();
  child.kill(signal);
  const { exit, stdout, stderr } = await ended;
  expect(stdout).toMatch(/^app\.log: (\d+) of \1 records delivered \(100 %\); records took /);
  expect(stderr).toMatch(new RegExp(`^webmail-diaglog: ended by ${signal} \\(\\d+ groups written\\)\n$`));
  expect(exit).toBe(0);
});

test('it says what it waits for; a second signal ends it at once, with the summary', async () => {
  const { child, ended, untilWritten } = startCanary('-');
  await untilWritten();
  const said = once(child.stderr ?? child, 'data');
  child.kill('SIGINT');
  expect(String(await said)).toMatch(
    /^webmail-diaglog: waiting for \d+ records, for 2\d s at most; a second signal ends it at once\n$/,
  );
  child.kill('SIGINT');
  const { exit, stdout, stderr } = await ended;
  expect(stdout).toMatch(
    / missing: (\d+) records of requests 1-\d+, written [^]*\napp\.log: 0 of \1 records delivered \(0 %\): \1 missing\n$/,
  );
  expect(stderr).toMatch(/\nwebmail-diaglog: ended by SIGINT at once \(\d+ groups written\)\n$/);
  expect(exit).toBe('SIGINT');
});

test('a first signal after --duration says again what is waited for; the second ends it', async () => {
  const { child, ended } = startCanary('-', '--duration', '500ms');
  const waits = /^webmail-diaglog: waiting for \d+ records, for 2\d s at most; a second signal ends it at once\n$/;
  const says = async (): Promise<string> => String(await once(child.stderr ?? child, 'data'));
  expect(await says()).toMatch(waits);
  child.kill('SIGTERM');
  expect(await says()).toMatch(waits);
  child.kill('SIGTERM');
  const { exit, stdout, stderr } = await ended;
  expect(stdout).toMatch(/app\.log: 0 of (\d+) records delivered \(0 %\): \1 missing\n$/);
  expect(stderr).toMatch(
    /\nwebmail-diaglog: <stdin>: nothing has come since the start; check that the collector reads app\.log and writes <stdin>\nwebmail-diaglog: ended by SIGTERM at once \(\d+ groups written\)\n$/,
  );
  expect(exit).toBe('SIGTERM');
});

test('when standard input ends, it says so and ends: what is outstanding is missing', async () => {
  const { log, child, ended, untilWritten } = startCanary('-', '--json');
  await untilWritten();
  child.stdin?.end(readFileSync(log, 'latin1').split('\n').slice(0, 16).join('\n'));
  const result = await ended;
  expect(result.stderr).toBe('webmail-diaglog: the received inputs have ended; outstanding records are missing\n');
  expect(summaryOf(result)).toMatchObject({ records_delivered: 16, missing: Number(summaryOf(result)['records_sent']) - 16 });
  expect(result.exit).toBe(1);
});

test('SIGHUP reopens the log', async () => {
  const { log, child, ended, untilWritten } = startCanary('out.log', '--json');
  await untilWritten();
  renameSync(log, `${log}.1`);
  child.kill('SIGHUP');
  await untilWritten();
  child.kill('SIGTERM');
  const result = await ended;
  expect(summaryOf(result)).toMatchObject({ share: 1 });
  expect(result.exit).toBe(0);
});

test('a run without an end says once, at the first missing record, why nothing arrives', async () => {
  const { child, ended, untilArrived } = startCanary('out.log', '--field', 'nope', '--late', '300ms');
  await once(child.stderr ?? child, 'data');
  await untilArrived();
  child.kill('SIGTERM');
  const { exit, stderr } = await ended;
  const [reason, ...others] = stderr.trimEnd().split('\n');
  expect(reason).toBe(
    "webmail-diaglog: out.log: received is not NDJSON, one object a line; convert it with jq -c (an array with jq -c '.[]'), or leave out --field and --fields",
  );
  expect(others).toEqual([expect.stringMatching(/ended by SIGTERM/)]);
  expect(exit).toBe(1);
});

test('--metrics answers GET /metrics with what the report counts', async () => {
  const { child, ended, untilArrived } = startCanary('out.log', '--metrics', '0');
  const [url = ''] = /http:\S+/.exec(String(await once(child.stderr ?? child, 'data'))) ?? [];
  await untilArrived();
  const answer = await fetch(url);
  const text = await answer.text();
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toMatch(/^webmail_diaglog_canary_records_total\{state="sent"\} [1-9]\d*$/m);
  expect((await fetch(new URL('/', url))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  child.kill('SIGTERM');
  expect((await ended).exit).toBe(0);
});

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
  const cwd = makeFolder({ 'other.log': 'a log\n' });
  mkdirSync(join(cwd, 'canary.pid'));
  await expectRefused('canary app.log got.log', cwd, {
    '--pid-file canary.pid': 'canary.pid: is a folder; name a file',
    '--pid-file other.log': 'other.log: is there, and does not hold the id of a process; name another file',
    '--pid-file got.log': 'got.log: is used by this run; name another file',
    '--pid-file -': '--pid-file: standard output cannot hold it; name a file',
  });
  expect(readdirSync(cwd)).toEqual(['canary.pid', 'other.log']);
  expect(readFileSync(join(cwd, 'other.log'), 'utf8')).toBe('a log\n');
});
