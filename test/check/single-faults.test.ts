import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { Rule } from '../../src/check/rules.js';
import { linesOf } from '../support/changes.js';
import { checkText } from '../support/checked.js';
import { PROJECT } from '../support/run.js';
import { simulateLines } from '../support/simulate-requests.js';

/** The records of 16 clients at once, without those of other kinds, and of simulated servers. */
const CAPTURED = linesOf(
  gunzipSync(readFileSync(join(PROJECT, 'fixtures/captured/concurrent-16.log.gz'))).toString('latin1'),
).filter((line) => /Failed to load plugin|session_set_save_handler/.test(line));
const SIMULATED = (
  [
    { workers: 3, longestMs: 50, timing: 'even', seed: 1 },
    { workers: 8, longestMs: 600, timing: 'burst', seed: 2 },
    { workers: 12, longestMs: 50, timing: 'short', seed: 3 },
  ] as const
).map(simulateLines);

/** Changes of a line, and the most of 42 in simulated logs that are missed. An unchanged line cannot have the fault. */
const FAULTS: readonly (readonly [string, (line: string) => string, number?])[] = [
  ['lost', () => '', 6],
  ['written twice', (line) => line + line, 2],
  ['torn', (line) => `${line.slice(0, 90)}\n`, 4],
  ['torn, without its LF', (line) => line.slice(0, 90), 4],
  ['of another year', (line) => line.replace(/-20\d\d /, '-2019 ')],
  ['of another hour', (line) => line.replace(/ \d\d:/, ' 04:')],
  ['of another offset', (line) => line.replace(/\+0[12]00/, '+0300'), 0],
  ['of another zone', (line) => line.replace('Europe/Warsaw', 'Europe/Berlin'), 0],
  ['of another target', (line) => line.replace(/\(GET .*\)/, '(GET /other/)'), 1],
  ['of another method', (line) => line.replace('(GET ', '(PUT '), 1],
  ['of a plugin that is not listed', (line) => line.replaceAll(/plugins\/\w+\/\w+/g, 'plugins/other/other'), 2],
  ['of another plugin of the list', (line) => line.replaceAll(/plugins\/\w+\/\w+/g, 'plugins/carddav/carddav'), 2],
  ['of another path', (line) => line.replace('/plugins/', '/plugin/'), 0],
  ['of another line number', (line) => line.replace(/on line \d+/, 'on line 7'), 0],
  ['with a CR', (line) => line.replace('\n', '\r\n'), 0],
];

/** The most lines between a fault and its violation. */
const NEAR_LINES = 32;

/** The places of faults that are not found as exactly one violation, near them. */
async function findMissed(
  lines: readonly string[],
  change: (line: string) => string,
  allow: readonly Rule[],
  places: readonly number[],
): Promise<string[]> {
  const { violations: clean } = await checkText(lines.join(''), undefined, { allow });
  const known = new Set(clean.map(({ line, kind }) => `${String(line)} ${kind}`));
  const missed: string[] = [];
  for (const place of places) {
    const line = lines[place] ?? '';
    if (change(line) === line) continue;
    const { violations } = await checkText(lines.with(place, change(line)).join(''), undefined, { allow });
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
  test.each(FAULTS.flatMap(([what, change, most]) => (most === undefined ? [] : [[what, most, change] as const])))(
    'in simulated logs: a record %s, but for %d of 42',
    async (_what, most, change) => {
      const missed: string[] = [];
      for (const lines of SIMULATED)
        missed.push(
          ...(await findMissed(lines, change, ['interleaved', 'backwards', 'timestamp'], placesBetween(100, 1092, 73))),
        );
      expect(missed.length).toBeLessThanOrEqual(most);
    },
  );
});
