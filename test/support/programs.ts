import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';
import { PROJECT } from './run.js';

/** Set where every program is installed: what would be skipped then fails. */
const NOTHING_MAY_BE_SKIPPED = process.env['SKIP_NOTHING'] !== undefined;

/** A need that is no program: to mount a file system, in a namespace of one's own. */
export const MOUNT = 'the right to mount';

export const RE2_IN_PERL = 'the Perl module re::engine::RE2';

export const REGISTRY = 'the npm registry';

/** A need that is neither a program nor a file of the project: the shell command that succeeds where it is there. */
const PROBES: Readonly<Record<string, string>> = {
  [MOUNT]: 'unshare --mount --map-root-user mount -t tmpfs tmpfs /mnt',
  [REGISTRY]: 'npm view --silent luxon version',
  [RE2_IN_PERL]: 'perl -Mre::engine::RE2 -e 1',
};

function isThere(need: string): boolean {
  const script = PROBES[need] ?? 'command -v "$1" || test -e "$1"';
  return spawnSync('bash', ['--norc', '-c', script, 'bash', need], { cwd: PROJECT }).status === 0;
}

/** Tests that need programs or files beside Node, or `MOUNT`. Without one of them they are skipped, and the report says for want of what. */
export function describeWith(needs: readonly string[], name: string, tests: () => void): void {
  const missing = needs.filter((need) => !isThere(need));
  if (missing.length === 0 || NOTHING_MAY_BE_SKIPPED) describe(name, tests);
  else describe.skip(`${name} (skipped for want of ${missing.join(', ')})`, tests);
}
