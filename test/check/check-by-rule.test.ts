import { describe, expect, test } from '@jest/globals';
import { checkByRule } from '../../src/check/check.js';
import type { RuleViolations } from '../../src/findings/finding.js';
import { RULES } from '../../src/check/rules.js';
import { DataError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { LogFiles } from '../../src/reading/log-files.js';
import { chunksOf } from '../support/bytes.js';
import { groupAt, SECOND } from '../support/records.js';

const site = createDeployment();

const GROUPS = Array.from({ length: 6 }, (_, index) => groupAt(SECOND + 10 * index));

const checkText = (log: string, maxExamples = 2): Promise<readonly RuleViolations[]> =>
  checkByRule(new LogFiles([{ source: 'x.log', chunks: chunksOf(log) }]), { deployment: site, hasSessions: false }, maxExamples);

describe('checkByRule', () => {
  test('a log without violations has no rules', async () => {
    expect(await checkText(GROUPS.join(''))).toEqual([]);
    expect(await checkText('')).toEqual([]);
  });

  test('counts each rule, and keeps its first violations, in the order of the rules', async () => {
    const [first = '', ...others] = GROUPS;
    const log = `x\nx\nx\n${first.replace('on line 119', 'on line 7')}${others.join('')}`;
    expect(await checkText(log)).toEqual([
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

  test('of a log that cannot be read to its end, what came before counts', async () => {
    const torn = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunksOf(`x\n${GROUPS.join('')}`);
      throw new DataError({ source: 'x.log' }, 'the gzip is cut', 'get all of it');
    };
    const rules = await checkByRule(
      new LogFiles([{ source: 'x.log', chunks: torn() }]),
      { deployment: site, hasSessions: false },
      1,
    );
    expect(rules.map(({ rule, count }) => [rule, count])).toEqual([['foreign', 1]]);
  });

  test('an error that is no fault of the data is thrown', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunksOf('x\n');
      throw new Error('a fault of the program');
    };
    await expect(
      checkByRule(new LogFiles([{ source: 'x.log', chunks: failing() }]), { deployment: site, hasSessions: false }, 1),
    ).rejects.toThrow('a fault of the program');
  });
});
