import { checkLog, type CheckResult } from '../../src/check/check-log.js';
import type { Rule, Violation } from '../../src/check/rules.js';
import { createDeployment } from '../../src/log/deployment.js';
import { chunksOf, collect } from './bytes.js';

interface Checking {
  readonly allow?: readonly Rule[] | undefined;
  readonly cuts?: readonly number[];
}

/** The violations of a log, a byte string, and its numbers. */
export async function checkText(
  log: string,
  site = createDeployment(),
  { allow = [], cuts = [] }: Checking = {},
): Promise<{ violations: readonly Violation[]; result: CheckResult }> {
  const results: CheckResult[] = [];
  const batches = checkLog(chunksOf(log, cuts), site, { allow, onEnd: (end) => results.push(end) });
  const violations = (await collect(batches)).flat();
  const [result] = results;
  if (result === undefined) throw new Error('the log has not ended');
  return { violations, result };
}

/** How many groups a log holds, a byte string, and `LINE rule` for each violation. */
export async function checked(
  log: string,
  site = createDeployment(),
  options: Checking = {},
): Promise<{ groups: number; violations: readonly string[] }> {
  const { violations, result } = await checkText(log, site, options);
  return { groups: result.groups, violations: violations.map(({ line, kind }) => `${String(line)} ${kind}`) };
}
