import { describe, expect, test } from '@jest/globals';
import { VERSION } from '../../src/export/version.js';
import { readPage } from '../support/pages.js';

const { text } = readPage('CHANGELOG.md');

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
});
