import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

/** Set where every program is installed: what would be skipped then fails. */
const NOTHING_MAY_BE_SKIPPED = process.env['SKIP_NOTHING'] !== undefined;

/** A need that is no program: to mount a file system, in a namespace of one's own. */
export const MOUNT = 'the right to mount';

function isThere(need: string): boolean {
  const script = need === MOUNT ? 'unshare --mount --map-root-user mount -t tmpfs tmpfs /mnt' : 'command -v "$1"';
  return spawnSync('bash', ['-c', script, 'bash', need]).status === 0;
}

/** Tests that need programs beside Node, or `MOUNT`. Without one of them they are skipped, and the report says for want of what. */
export function describeWith(needs: readonly string[], name: string, tests: () => void): void {
  const missing = needs.filter((need) => !isThere(need));
  if (missing.length === 0 || NOTHING_MAY_BE_SKIPPED) describe(name, tests);
  else describe.skip(`${name} (skipped for want of ${missing.join(', ')})`, tests);
}
