import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { checkLog } from '../../src/check/check-log.js';
import { createDeployment } from '../../src/log/deployment.js';
import { chunksOf, collect } from '../support/bytes.js';
import { PROJECT } from '../support/run.js';

const SITE = createDeployment();
/** The first records of 16 clients at once, without the records of other kinds. */
const LINES = gunzipSync(readFileSync(join(PROJECT, 'fixtures/captured/concurrent-16.log.gz')))
  .toString('latin1')
  .split(/(?<=\n)/)
  .filter((line) => /Failed to load plugin|session_set_save_handler/.test(line))
  .slice(0, 1200);

async function countViolations(lines: readonly string[]): Promise<number> {
  const batches = checkLog(chunksOf(lines.join('')), SITE, { allowed: new Set(['interleaved', 'backwards']) });
  return (await collect(batches)).flat().length;
}

/** Every 31st line is broken, one at a time. */
const PLACES = Array.from({ length: 32 }, (_, index) => 100 + 31 * index);

test.each<[string, (line: string) => string, string]>([
  ['lost', () => '', '32 of 32'],
  ['written twice', (line) => line + line, '32 of 32'],
  ['torn', (line) => `${line.slice(0, 90)}\n`, '32 of 32'],
  ['of another year', (line) => line.replace('2026', '2025'), '32 of 32'],
  ['of another target', (line) => line.replace(/\(GET .*\)/, '(GET /other/)'), '27 of 27'],
  ['of another method', (line) => line.replace('(GET ', '(PUT '), '27 of 27'],
  ['of another plugin', (line) => line.replaceAll(/plugins\/\w+\/\w+/g, 'plugins/other/other'), '29 of 29'],
])('a record %s in a busy log is one violation, at its place or a few lines away', async (_what, change, expected) => {
  const before = await countViolations(LINES);
  const counts: number[] = [];
  for (const place of PLACES) {
    const line = LINES[place] ?? '';
    if (change(line) !== line) counts.push((await countViolations(LINES.with(place, change(line)))) - before);
  }
  expect(`${String(counts.filter((count) => count === 1).length)} of ${String(counts.length)}`).toBe(expected);
});
