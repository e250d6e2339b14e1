import { checkLog } from '../../src/check/check-log.js';
import { createDeployment } from '../../src/log/deployment.js';
import { chunksOf } from './bytes.js';

/** How many groups a log of the default deployment holds, a byte string, and `LINE rule` for each violation. */
export async function checked(log: string): Promise<{ groups: number; violations: string[] }> {
  let groups = 0;
  const found: string[] = [];
  const batches = checkLog(chunksOf(log, []), createDeployment(), { onEnd: (result) => (groups = result.groups) });
  for await (const violations of batches) found.push(...violations.map(({ line, kind }) => `${String(line)} ${kind}`));
  return { groups, violations: found };
}
