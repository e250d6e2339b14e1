import { describe, expect, test } from '@jest/globals';
import { VERSION } from '../../src/export/version.js';
import { readPage } from '../support/pages.js';
import { PROJECT, runShell } from '../support/run.js';

const { text } = readPage('CHANGELOG.md');

/** How far the stated size of the package may be from its size. */
const TOLERANCE = 0.15;

describe('CHANGELOG.md', () => {
  test('has the sections of Keep a Changelog', () => {
    const [first, ...released] = text.match(/^## .*$/gm) ?? [];
    expect(first).toBe('## [Unreleased]');
    for (const heading of released) expect(heading).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
    if (released.length > 0) expect(released[0]).toContain(`[${VERSION}]`);
    const kinds = text.match(/^### .*$/gm) ?? [];
    expect(kinds.length).toBeGreaterThan(2);
    for (const kind of kinds) expect(kind).toMatch(/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/);
  });

  test('states the size of the package, roughly', async () => {
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
});
