import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

/** Set where every program is installed: what would be skipped then fails. */
const NOTHING_MAY_BE_SKIPPED = process.env['SKIP_NOTHING'] !== undefined;

function isInstalled(program: string): boolean {
  return spawnSync('bash', ['-c', 'command -v "$1"', 'bash', program]).status === 0;
}

/** Tests that need programs beside Node. Without one of them they are skipped, and the report says for want of what. */
export function describeWith(programs: readonly string[], name: string, tests: () => void): void {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0 || NOTHING_MAY_BE_SKIPPED) describe(name, tests);
  else describe.skip(`${name} (skipped for want of ${missing.join(', ')})`, tests);
}
