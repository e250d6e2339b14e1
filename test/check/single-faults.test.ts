import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { checkLog } from '../../src/check/check-log.js';
import type { Rule, Violation } from '../../src/check/rules.js';
import { createDeployment } from '../../src/log/deployment.js';
import { chunksOf, collect } from '../support/bytes.js';
import { PROJECT } from '../support/run.js';
import { simulateLines } from '../support/simulate-requests.js';

const SITE = createDeployment();

/** The records of 16 clients at once, without those of other kinds, and of simulated servers. */
const CAPTURED = gunzipSync(readFileSync(join(PROJECT, 'fixtures/captured/concurrent-16.log.gz')))
  .toString('latin1')
  .split(/(?<=\n)/)
  .filter((line) => /Failed to load plugin|session_set_save_handler/.test(line));
const SIMULATED = (
  [
    { workers: 3, longestMs: 50, timing: 'even', seed: 1 },
    { workers: 8, longestMs: 600, timing: 'burst', seed: 2 },
    { workers: 12, longestMs: 50, timing: 'short', seed: 3 },
  ] as const
).map(simulateLines);

async function check(lines: readonly string[], allowed: readonly Rule[]): Promise<readonly Violation[]> {
  return (await collect(checkLog(chunksOf(lines.join('')), SITE, { allow: allowed }))).flat();
}

/** A change of a line; an unchanged line cannot have the fault. */
type Fault = (line: string) => string;

const FAULTS: readonly (readonly [string, Fault])[] = [
  ['lost', () => ''],
  ['written twice', (line) => line + line],
  ['torn', (line) => `${line.slice(0, 90)}\n`],
  ['torn, without its LF', (line) => line.slice(0, 90)],
  ['of another year', (line) => line.replace(/-20\d\d /, '-2019 ')],
  ['of another hour', (line) => line.replace(/ \d\d:/, ' 04:')],
  ['of another offset', (line) => line.replace(/\+0[12]00/, '+0300')],
  ['of another zone', (line) => line.replace('Europe/Warsaw', 'Europe/Berlin')],
  ['of another target', (line) => line.replace(/\(GET .*\)/, '(GET /other/)')],
  ['of another method', (line) => line.replace('(GET ', '(PUT ')],
  ['of a plugin that is not listed', (line) => line.replaceAll(/plugins\/\w+\/\w+/g, 'plugins/other/other')],
  ['of another plugin of the list', (line) => line.replaceAll(/plugins\/\w+\/\w+/g, 'plugins/carddav/carddav')],
  ['of another path', (line) => line.replace('/plugins/', '/plugin/')],
  ['of another line number', (line) => line.replace(/on line \d+/, 'on line 7')],
  ['with a CR', (line) => line.replace('\n', '\r\n')],
];

/** The most lines between a fault and its violation. */
const NEAR_LINES = 32;

/** The places of faults that are not found as exactly one violation, near them. */
async function findMissed(
  lines: readonly string[],
  change: Fault,
  allowed: readonly Rule[],
  places: readonly number[],
): Promise<string[]> {
  const clean = await check(lines, allowed);
  const known = new Set(clean.map(({ line, kind }) => `${String(line)} ${kind}`));
  const missed: string[] = [];
  for (const place of places) {
    const line = lines[place] ?? '';
    if (change(line) === line) continue;
    const violations = await check(lines.with(place, change(line)), allowed);
    const distances = violations
      .filter((found) => !known.has(`${String(found.line)} ${found.kind}`))
      .map((found) => Math.abs(found.line - place - 1));
    const count = violations.length - clean.length;
    if (count !== 1 || Math.min(...distances) > NEAR_LINES) missed.push(`line ${String(place + 1)}: ${String(count)}`);
  }
  return missed;
}

const placesBetween = (from: number, until: number, step: number): number[] =>
  Array.from({ length: Math.ceil((until - from) / step) }, (_, index) => from + index * step);

describe('one record of a busy log is broken: exactly one violation, at its place or a few lines away', () => {
  test.each(FAULTS)('in the captured log of 16 clients: a record %s', async (_what, change) => {
    expect(
      await findMissed(CAPTURED.slice(0, 1200), change, ['interleaved', 'backwards'], placesBetween(100, 1092, 124)),
    ).toEqual([]);
  });

  // Seconds tick within requests that overlap, so that records of other seconds are no faults there. Deprecation records of a second are
  // equal: where one is missing from many that wait, any of their groups can be the one that lost it.
  test.each<[string, number]>([
    ['lost', 6],
    ['written twice', 2],
    ['torn', 4],
    ['torn, without its LF', 4],
    ['of another offset', 0],
    ['of another zone', 0],
    ['of another target', 1],
    ['of another method', 1],
    ['of a plugin that is not listed', 2],
    ['of another plugin of the list', 2],
    ['of another path', 0],
    ['of another line number', 0],
    ['with a CR', 0],
  ])('in simulated logs, but for a few of 42: a record %s', async (what, most) => {
    const [, change] = FAULTS.find(([name]) => name === what) ?? ['', (line: string): string => line];
    const missed: string[] = [];
    for (const lines of SIMULATED)
      missed.push(...(await findMissed(lines, change, ['interleaved', 'backwards', 'timestamp'], placesBetween(100, 1092, 73))));
    expect(missed.length).toBeLessThanOrEqual(most);
  });
});
