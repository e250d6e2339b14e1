import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { codeSpans, readPage } from '../support/pages.js';
import { PROJECT } from '../support/run.js';

const { text, prose } = readPage('CONTRIBUTING.md');

describe('CONTRIBUTING.md', () => {
  test('is one page of at most 8 kB', () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
  });

  test('names every room of src', () => {
    const rooms = readdirSync(join(PROJECT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.length).toBeGreaterThan(10);
    expect(rooms.filter(({ name }) => !prose.includes(`\`${name}/\``)).map(({ name }) => name)).toEqual([]);
  });

  test('names paths that are there', () => {
    const named = codeSpans(prose).filter((span) => /^(?:\.ci|bench|docs|fixtures|man|parsers|src|test)\/[^\s*<]*$/.test(span));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });
});
