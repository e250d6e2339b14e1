import { describe, expect, test } from '@jest/globals';
import { checkByRule } from '../../src/check/check.js';
import type { RuleViolations } from '../../src/findings/finding.js';
import { RULES } from '../../src/check/rules.js';
import { DataError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { LogFiles } from '../../src/reading/log-files.js';
import { chunksOf } from '../support/bytes.js';
import { failing } from '../support/logs.js';
import { groupAt, SECOND } from '../support/records.js';

const site = createDeployment();

const GROUPS = Array.from({ length: 6 }, (_, index) => groupAt(SECOND + 10 * index));

const checkChunks = (chunks: AsyncIterable<Uint8Array>): Promise<readonly RuleViolations[]> =>
  checkByRule(new LogFiles([{ source: 'x.log', chunks }]), { deployment: site, hasSessions: false }, 2);

describe('checkByRule', () => {
  test('a log without violations has no rules', async () => {
    expect(await checkChunks(chunksOf(GROUPS.join('')))).toEqual([]);
    expect(await checkChunks(chunksOf(''))).toEqual([]);
  });

  test('counts each rule, and keeps its first violations, in the order of the rules', async () => {
    const [first = '', ...others] = GROUPS;
    const log = `x\nx\nx\n${first.replace('on line 119', 'on line 7')}${others.join('')}`;
    expect(await checkChunks(chunksOf(log))).toEqual([
      {
        rule: 'foreign',
        sections: RULES.foreign.section,
        isOrdinary: true,
        count: 3,
        examples: [1, 2].map((line) => ({
          place: `x.log:${String(line)}`,
          found: '"x"',
          expected: 'a load-failure or a deprecation record',
        })),
      },
      {
        rule: 'line-number',
        sections: RULES['line-number'].section,
        isOrdinary: false,
        count: 1,
        examples: [{ place: 'x.log:11', found: '7', expected: '119' }],
      },
    ]);
  });

  test('of a log that cannot be read to its end, what came before counts; a fault of the program is thrown', async () => {
    const torn = new DataError({ source: 'x.log' }, 'the gzip is cut', 'get all of it');
    const rules = await checkChunks(failing(`x\n${GROUPS.join('')}`, torn));
    expect(rules.map(({ rule, count }) => [rule, count])).toEqual([['foreign', 1]]);
    await expect(checkChunks(failing('x\n', new Error('a fault of the program')))).rejects.toThrow('a fault of the program');
  });
});
