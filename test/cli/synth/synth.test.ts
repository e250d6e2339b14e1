import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { COMMAND } from '../../../src/cli/synth/command.js';
import { resolveSynth } from '../../../src/cli/synth/run.js';
import { call, callEach, expectRefused } from '../../support/call.js';
import { parsedOptions, refusalOf, type Typed } from '../../support/parsed-options.js';
import { endBy, makeFolder, readBytes, runShell } from '../../support/run.js';

const MIDNIGHT = Date.parse('2025-05-18T00:00:00+02:00');
const DAY_MS = 86_400_000;

function resolve(given: Typed) {
  return resolveSynth(parsedOptions(COMMAND.options, given));
}

describe('resolveSynth', () => {
  const spanOf = (raw: Typed): { before: number; end: number } => {
    const { plan } = resolve(raw);
    return { before: plan.before, end: plan.slice.end };
  };

  test.each([
    [{}, MIDNIGHT + DAY_MS, 1000],
    [{ timezone: 'UTC' }, Date.UTC(2025, 4, 19), 1000],
    [{ count: '0' }, MIDNIGHT + DAY_MS, 0],
    [{ to: '2025-05-18T01:00:00' }, MIDNIGHT + DAY_MS / 24, 1000],
    [{ rate: '2' }, MIDNIGHT + DAY_MS, 172_800],
    [{ rate: '50', count: '100' }, MIDNIGHT + 2000, 100],
    [{ duration: '1h' }, MIDNIGHT + DAY_MS / 24, 1000],
    [{ duration: '90s', rate: '2' }, MIDNIGHT + 90_000, 180],
    [{ rate: '1.5k', count: '3k' }, MIDNIGHT + 2000, 3000],
    // The day on which clocks go forward has 23 hours; at 02:30 on it there is no such time.
    [{ from: '2025-03-30' }, Date.parse('2025-03-31T00:00:00+02:00'), 1000],
    [{ from: '2025-03-29T02:30:00' }, Date.parse('2025-03-30T02:30:00+01:00'), 1000],
  ])('%j', (raw, before, end) => {
    expect(spanOf(raw)).toEqual({ before, end });
  });

  test('--live begins now and writes in real time, unless another pace or beginning is given', () => {
    const before = Date.now();
    const live = resolve({ live: true, rate: '1', duration: '1h' });
    expect(live).toMatchObject({ speed: 1, plan: { slice: { first: 0, end: 3600 } } });
    const begin = live.anchor?.millisecond ?? 0;
    expect(begin).toBeGreaterThanOrEqual(before);
    expect(begin).toBeLessThanOrEqual(Date.now());
    expect(live.plan.before).toBe(begin + DAY_MS / 24);
    expect(resolve({ live: true, speed: '60' })).toMatchObject({ speed: 60, anchor: expect.anything() });
    expect(resolve({ live: true, from: '2025-06-01' })).toMatchObject({ speed: 1, anchor: undefined });
  });

  test('what has no end ends before the year 10000', () => {
    const { plan } = resolve({ count: 'forever', rate: '50', profile: 'office' });
    expect(plan.before).toBe(Infinity);
    expect(plan.slice.end).toBeGreaterThan(1e13);
    expect(new Date(MIDNIGHT + plan.slice.end * 20).getUTCFullYear()).toBe(9999);
  });

  test.each([
    [{ to: '2020-01-01' }, '--to: "2020-01-01" is not after --from; give a later time'],
    [{ to: 'now' }, '--to: "now" cannot be the end; give a time after --from'],
    [{ from: 'noon' }, '--from: "noon" is not a timestamp; give it as 2025-05-18T12:00:00+02:00,'],
    [{ from: '2025-03-30T02:30:00' }, '--from: "2025-03-30T02:30:00" does not exist in the time zone:'],
    [{ count: '1', rate: '1', to: '2025-05-19' }, '--to: follows from --count and --rate; give two of the three'],
    [
      { count: 'forever', to: '2026-01-01' },
      '--to: "2026-01-01" cannot be combined with --count forever; give only one of the two',
    ],
    [{ to: '2026-01-01', duration: '1h' }, '--duration: --to already gives the end of the traffic; give one of the two'],
    [{ count: 'forever' }, '--count: "forever" needs a rate; give --rate too'],
    [{ count: '\x1b[2J' }, '--count: "\\x1b[2J" is not a whole number'],
    [{ seed: '1.5' }, '--seed: "1.5" is not a whole number of at most 15 digits; give one such as 7'],
    [{ shard: '5/3' }, '--shard: "5/3" is not a slice; give it as i/n, from 1/n to n/n'],
    [{ shard: '1/2', count: 'forever', rate: '1' }, '--shard: "1/2" needs traffic that ends; give --count a number'],
  ])('refuses %j', (raw, message) => {
    expect(refusalOf(() => resolve(raw))).toContain(message);
  });
});

describe('synth', () => {
  test.each(['log', 'requests'])('slices, concatenated, are the whole, as %s with marks', async (as) => {
    const cwd = makeFolder();
    const words = `synth --count 50 --seed 3 --profile office --mark r --as ${as}`;
    const slices = ['1/3', '2/3', '3/3'].map((shard) => `${words} --shard ${shard} -o slices`);
    expect(await callEach([...slices, `${words} -o whole`], { cwd })).toMatchObject(Array(4).fill({ exit: 0, stderr: '' }));
    const whole = readBytes(cwd, 'whole');
    expect(readBytes(cwd, 'slices')).toBe(whole);
    expect(new Set(whole.match(/\br=\d+/g)).size).toBe(50);
  });

  test('replay of its request list gives its log, in another deployment too', async () => {
    const site = '--timezone Asia/Kolkata --dialect php';
    const { stdout: stdin } = await call(`synth --count 300 --as requests ${site}`);
    const [log, replayed] = await callEach([`synth --count 300 ${site}`, `replay ${site}`], { stdin });
    expect(replayed).toEqual(log);
    expect(log?.stdout.match(/Asia\/Kolkata/g)).toHaveLength(300);
  });

  test('a list of no requests has its header all the same, in its first slice', async () => {
    const { stdout } = await call('synth --as requests --count 1 --shard 1/2');
    expect(stdout).toBe('timestamp,http_method,request_target\n');
    expect((await call('synth --count 0')).stdout).toBe('');
  });

  test.each(['t.csv', '-'])('draws from a list of targets: %s', async (list) => {
    const targets = '/a,1,POST\n/b,0,\n';
    const cwd = makeFolder({ 't.csv': targets });
    const { stdout } = await call(`synth --targets ${list} --count 3 --plugins x`, { cwd, stdin: targets });
    expect(stdout.match(/\(.*\)$/gm)).toEqual(['(POST /a)', '(POST /a)', '(POST /a)']);
    writeFileSync(join(cwd, 't.csv'), '/a,x\n');
    const bad = await call('synth --targets t.csv -o out.log', { cwd });
    expect(bad).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringMatching(/^webmail-diaglog: t\.csv:1: weight "x" /) });
    expect(existsSync(join(cwd, 'out.log'))).toBe(false);
    await expectRefused('synth --targets', cwd, { 'no.csv': 'no.csv: no such file or folder; check the path' });
  });

  test('real time changes nothing but the pace, and stderr tells how late groups were', async () => {
    const { stdout, stderr } = await call('synth --count 40 --rate 10 --speed 1000');
    expect(stdout).toBe((await call('synth --count 40 --rate 10')).stdout);
    expect(stderr).toMatch(
      /^webmail-diaglog: 40 groups in real time, late by [\d.]+ ms \(p50\), [\d.]+ ms \(p99\), [\d.]+ ms \(max\)\n$/,
    );
  });

  test('runs until a signal, in whole groups, on the clock of the wall', async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const words = 'synth --from now --rate 200 --count forever --speed 1 --timezone UTC';
    const { exit, stdout, stderr } = await endBy('SIGINT', words);
    expect(exit).toBe('SIGINT');
    expect(stderr).toMatch(
      /^webmail-diaglog: (\d+) groups? in real time, late by .*\nwebmail-diaglog: ended by SIGINT \(\1 groups? written\)\n$/,
    );
    const groups = Number(/\((\d+) group/.exec(stderr)?.[1]);
    expect(groups).toBeGreaterThan(0);
    expect(stdout.split('\n')).toHaveLength(8 * groups + 1);
    const first = Date.parse(`${/^\[(.{20}) /.exec(stdout)?.[1] ?? ''} UTC`) / 1000;
    expect(first).toBeGreaterThanOrEqual(startedAt);
    expect(first).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('appends to a log, whatever it holds; to a list without a second header', async () => {
    const script = `
      webmail-diaglog synth --count 2 -o e.log --from 2025-06-01 && webmail-diaglog synth --count 2 -o e.log --from 2025-05-01
      grep -c Deprecated e.log
      webmail-diaglog synth --count 2 --as requests -o r.csv && webmail-diaglog synth --count 2 --as requests >> r.csv
      grep -c timestamp r.csv; wc -l < r.csv`;
    expect(await runShell(script, { cwd: makeFolder() })).toEqual({ exit: 0, stdout: '4\n1\n5\n', stderr: '' });
  });

  test('--from now without --speed says that it writes times that are yet to come', async () => {
    const { exit, stdout, stderr } = await call('synth --from now --count 2 --duration 1h');
    expect({ exit, lines: stdout.split('\n').length }).toEqual({ exit: 0, lines: 17 });
    expect(stderr).toBe(
      'webmail-diaglog: --from: now without --speed writes times in the future; give --live to write each group when its time comes\n',
    );
    const live = await call('synth --live --count 2 --duration 2ms');
    expect(live).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^webmail-diaglog: 2 groups in real time, .*\n$/) });
  });
});
