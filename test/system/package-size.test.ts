import { expect, test } from '@jest/globals';
import { readPage } from '../support/pages.js';
import { PROJECT, runShell } from '../support/run.js';

/** How far the stated size of the package may be from its size. */
const TOLERANCE = 0.15;

test('CHANGELOG.md states the size of the package, roughly', async () => {
  const { text } = readPage('CHANGELOG.md');
  const [, packed = '', unpacked = ''] = /^Size of the package: ([\d.]+) MB packed, ([\d.]+) MB unpacked\.$/m.exec(text) ?? [];
  const { stdout } = await runShell('npm pack --dry-run --json --ignore-scripts', { cwd: PROJECT });
  const [, bytes = ''] = /"size": (\d+)/.exec(stdout) ?? [];
  const [, unpackedBytes = ''] = /"unpackedSize": (\d+)/.exec(stdout) ?? [];
  for (const [stated, actual] of [
    [packed, bytes],
    [unpacked, unpackedBytes],
  ] as const)
    expect(Math.abs(Number(actual) / 1e6 / Number(stated) - 1)).toBeLessThan(TOLERANCE);
});
