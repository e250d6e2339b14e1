import { existsSync, appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Pipeline, summaryOf } from '../../support/pipeline.js';
import { call, expectRefused } from '../../support/call.js';
import { makeFolder, outcome, readBytes, type RunResult, startRun } from '../../support/run.js';
import { sizeOf, until } from '../../support/until.js';

/** Runs a canary in a folder, with a pipeline from `app.log` to `out.log`. */
async function runWith(
  change: (line: string, pipeline: Pipeline) => readonly string[],
  options: string,
): Promise<RunResult & { readonly folder: string }> {
  const folder = makeFolder();
  const [from, to] = [join(folder, 'app.log'), join(folder, 'out.log')];
  const pipeline: Pipeline = new Pipeline(from, to, (line) => change(line, pipeline));
  try {
    return { folder, ...(await call(`canary app.log out.log --json ${options}`, { cwd: folder })) };
  } finally {
    await pipeline.end();
  }
}

const numberOf = (line: string): number => Number(/canary=[a-z0-9]+-(\d+)/.exec(line)?.[1]);
const isOf = (line: string, plugin: string): boolean => line.includes(`/${plugin}.php in`);

describe('canary', () => {
  test('all that a pipeline does to the records of one run', async () => {
    const done = { missing: 0, late: 0, duplicated: 0, altered: 0, reordered: 0, others: 0 };
    const held: string[] = [];
    const changes: readonly (readonly [kind: keyof typeof done, records: number, change: (line: string) => string[]])[] = [
      ['missing', 1, () => []],
      ['duplicated', 1, (line) => [line, line]],
      ['altered', 1, (line) => [line.slice(0, 80)]],
      ['altered', 1, (line) => [line.replace('GET', 'POST')]],
      ['reordered', 1, (line) => (held.push(line), [])],
      ['others', 3, (line) => [line, line.replace(/canary=[a-z0-9]+/, 'canary=other'), line.replace(/.canary=.*\)/, ')'), 'x']],
    ];
    const result = await runWith((line, pipeline) => {
      if (isOf(line, 'sieverules')) return [line, ...held.splice(0)];
      const number = numberOf(line);
      if (isOf(line, 'carddav') && number === 7) {
        done.late += 1;
        void setTimeout(1300).then(() => {
          pipeline.deliver([line]);
        });
        return [];
      }
      const made = isOf(line, 'carddav') ? changes[(number % 10) - 1] : undefined;
      if (made === undefined) return [line];
      const [kind, records, change] = made;
      done[kind] += records;
      return change(line);
    }, '--rate 50 --duration 1500ms --late 1s');
    const { records_sent: sent = 0, ...counts } = summaryOf(result);
    const delivered = Number(sent) - done.missing - done.altered;
    expect(result).toMatchObject({ exit: 1, stderr: '' });
    expect(counts).toEqual({ records_delivered: delivered, share: delivered / Number(sent), ...done });
  });

  test('everything arrives over rotations', async () => {
    const result = await runWith((line) => [line], '--rate 100 --duration 1s --rotate 60kB');
    expect(summaryOf(result)).toEqual({ records_sent: 800, records_delivered: 800, share: 1 });
    expect(result.exit).toBe(0);
    expect(sizeOf(join(result.folder, 'app.log.2'))).toBeGreaterThan(0);
  });

  test('what was received before the start, and half a line there, is passed over; so is an earlier run of that name', async () => {
    const cwd = makeFolder();
    const [from, to] = [join(cwd, 'app.log'), join(cwd, 'out.log')];
    const runAgain = async (change?: (line: string) => readonly string[]): Promise<Record<string, unknown>> => {
      const pipeline = new Pipeline(from, to, change);
      const { stdout } = await call('canary app.log out.log --json --run same --rate 100 --duration 300ms', { cwd });
      await pipeline.end();
      return summaryOf({ stdout });
    };
    const whole = { records_sent: 240, records_delivered: 240, share: 1 };
    expect(await runAgain()).toEqual(whole);
    const [first = '', ...others] = readBytes(to).split('\n');
    appendFileSync(to, first.slice(0, 100));
    writeFileSync(from, '');
    const before = [first.slice(100), first, ...others.slice(0, 7)];
    expect(await runAgain((line) => [...before.splice(0), line])).toEqual({ ...whole, others: 8 });
  });

  test('if nothing was written, it says so and exits 1', async () => {
    const message = 'webmail-diaglog: app.log: nothing was written; give a higher --rate, or a longer --duration\n';
    expect(await call('canary app.log out.log --duration 100ms', { cwd: makeFolder() })).toEqual({
      exit: 1,
      stdout: 'app.log: no record was sent\n',
      stderr: expect.stringContaining(message),
    });
  });

  test('if standard input ends before the first record, it says that, and exits 1', async () => {
    const { exit, stderr } = await call('canary app.log - --rate 0.01', { cwd: makeFolder() });
    expect(stderr).toBe('webmail-diaglog: app.log: nothing was written: the received inputs have ended; keep the pipe open\n');
    expect(exit).toBe(1);
  });

  test.each([
    ['nothing', '', 'nothing has come since the start'],
    ['other lines alone', 'a\nb\n', '2 lines came, none of this run'],
  ])('if %s came, it says so once', async (_what, came, what) => {
    const folder = makeFolder({ 'out.log': 'of other traffic\n' });
    const ended = call('canary app.log out.log --rate 100 --duration 300ms --late 900ms', { cwd: folder });
    await until(() => sizeOf(join(folder, 'app.log')) > 0);
    appendFileSync(join(folder, 'out.log'), came);
    const { exit, stderr } = await ended;
    expect(stderr).toBe(`webmail-diaglog: out.log: ${what}; check that the collector reads app.log and writes out.log\n`);
    expect(exit).toBe(1);
  });

  test('with --field, a log that holds JSON is refused, unless the records are put into it', async () => {
    const cwd = makeFolder({ 'out.ndjson': '{"message":"a"}\n' });
    await expectRefused('canary out.ndjson app.log', cwd, {
      '--field message': 'out.ndjson: holds JSON, not this log; name the log first, then what is received',
    });
    expect(readBytes(cwd, 'out.ndjson')).toBe('{"message":"a"}\n');
    const words = 'canary out.ndjson out.log --field message --envelope docker --rate 100 --duration 100ms --late 10ms';
    expect((await call(words, { cwd })).exit).toBe(1);
    expect(sizeOf(join(cwd, 'out.ndjson'))).toBeGreaterThan(100);
  });

  test('a log that cannot be opened ends it, though standard input stays open', async () => {
    const { exit, stderr } = await outcome(startRun('canary nosuch/app.log -', { cwd: makeFolder() }));
    expect(stderr).toBe('webmail-diaglog: nosuch/app.log: its folder does not exist; make the folder, or check the path\n');
    expect(exit).toBe(2);
  });

  test('if the log cannot be written, it says so and exits 2', async () => {
    const { exit, stderr } = await call('canary /dev/full out.log --rate 50', { cwd: makeFolder() });
    expect(stderr).toContain('webmail-diaglog: out.log: does not exist yet; it is waited for\n');
    expect(stderr).toContain('webmail-diaglog: /dev/full: no space left on the device; free some space (0 groups written)\n');
    expect(exit).toBe(2);
  });

  test('a log that was removed ends it with exit 2, though metrics are served and standard input stays open', async () => {
    const folder = makeFolder();
    const log = join(folder, 'app.log');
    const child = startRun('canary app.log - --metrics 0 --rate 100 --duration 300ms --late 100ms', { cwd: folder });
    const ended = outcome(child);
    await until(() => sizeOf(log) > 0);
    rmSync(log);
    const { exit, stderr } = await ended;
    const isSaid = stderr.includes('webmail-diaglog: app.log: the file was removed during the run; run it again, ');
    // A run that a busy machine draws out for a second has made the file anew.
    expect({ exit, isSaid }).toEqual(existsSync(log) ? { exit: 1, isSaid: false } : { exit: 2, isSaid: true });
  });

  test('the log may be standard output, as that of a pod: the report goes to stderr', async () => {
    const folder = makeFolder();
    const child = startRun('canary - - --rate 50 --duration 500ms --late 2s', { cwd: folder });
    const ended = outcome(child);
    // What is written comes back, without the second record.
    let records = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('latin1').split(/(?<=\n)/)) {
        records += 1;
        if (records !== 2) child.stdin?.write(line, 'latin1');
      }
    });
    const { exit, stdout, stderr } = await ended;
    const sent = stdout.split('\n').length - 1;
    expect(stdout).toMatch(/^\[[^\n]* \(\w+ \/[^\n]*canary=/);
    expect(stderr).toMatch(/^\S+ missing: 1 record of request 1, written \d\d:\d\d:\d\dZ: "\[.* …|….*\(GET .*canary=\w+-1\)"\n/m);
    expect(stderr).toContain(`<stdout>: ${String(sent - 1)} of ${String(sent)} records delivered`);
    expect(exit).toBe(1);
  });

  test('goes on in a new file when its log is renamed without a signal', async () => {
    let isRenamed = false;
    const rename = (line: string, { from }: Pipeline): readonly string[] => {
      if (!isRenamed && sizeOf(from) > 20_000) renameSync(from, `${from}.1`);
      isRenamed ||= sizeOf(from) === 0;
      return [line];
    };
    const result = await runWith(rename, '--rate 50 --duration 2500ms');
    expect(summaryOf(result)).toMatchObject({ share: 1 });
    expect({ exit: result.exit, isRenamed }).toEqual({ exit: 0, isRenamed: true });
    expect(sizeOf(join(result.folder, 'app.log'))).toBeGreaterThan(0);
  });

  test('says that a received file was truncated', async () => {
    const folder = makeFolder({ 'out.log': 'of other traffic\n' });
    const child = startRun('canary app.log out.log --json --rate 50 --late 300ms --max 0', { cwd: folder });
    const ended = outcome(child);
    // What is received is followed before anything is written.
    await until(() => sizeOf(join(folder, 'app.log')) > 0);
    truncateSync(join(folder, 'out.log'));
    await setTimeout(100);
    child.kill('SIGTERM');
    const result = await ended;
    expect(result.stderr).toContain('out.log was truncated 1 time while it was followed; what was written between the last look');
    expect(summaryOf(result)).toMatchObject({ truncations: 1 });
  });

  test('a call that is at fault is refused', async () => {
    await expectRefused('canary', makeFolder(), {
      'app.log app.log': 'app.log: the output is the input file; name another file',
      'app.log udp://[::1]:514':
        'udp://[::1]:514: an address cannot be read from; start webmail-diaglog receive --tcp or --udp there, and name the file that it writes',
      'app.log out.log out.log': 'out.log: the received file is named twice; name it once',
      'app.log - -': '-: standard input can be read only once; name files',
      'app.log out.log -o app.log': 'app.log: the output is the log file; name another file',
      'app.log out.log -o out.log': 'out.log: the output is the input file; name another file',
      'app.log out.log --fields kind=kind': '--fields: the target, which carries the mark, is not named; add request_target=path',
      "app.log out.log --run 'a b'": '--run: "a b" is not a name for a run; give letters, digits or ._~-, such as staging',
      'app.log out.log --metrics x': '--metrics: "x" is not an address; give a port such as 9464, or host:port',
    });
  });
});
