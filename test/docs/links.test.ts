import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DOCS, PAGES, readPage, type Page } from '../support/pages.js';
import { PROJECT } from '../support/run.js';

/** Links to pages and files of the project: not those to other sites. */
function linksOf({ prose }: Page): readonly string[] {
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter((target) => !target.includes('://'));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf({ prose }: Page): readonly string[] {
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  );
}

/** What is wrong with a link of a page; undefined if it leads somewhere. */
function findLinkFault(page: Page, link: string): string | undefined {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
  if (!existsSync(join(PROJECT, path))) return `${link}: no such file`;
  return anchor === undefined || anchorsOf(readPage(path)).includes(anchor) ? undefined : `${link}: no such heading`;
}

describe('links', () => {
  test.each(PAGES)('$path links to files and headings that are there', (page) => {
    expect(linksOf(page).flatMap((link) => findLinkFault(page, link) ?? [])).toEqual([]);
  });

  test('a link to what is not there is a fault', () => {
    const page = readPage('docs/replay.md');
    expect(linksOf(page)).toContain('format.md#deployment');
    expect(findLinkFault(page, 'gone.md')).toBe('gone.md: no such file');
    expect(findLinkFault(page, 'format.md#gone')).toBe('format.md#gone: no such heading');
    expect(findLinkFault(page, 'format.md#deployment')).toBeUndefined();
  });

  test.each(DOCS.slice(1))('README.md links to $path', ({ path }) => {
    expect(linksOf(readPage('README.md'))).toContain(path);
  });
});

describe('length', () => {
  test('README.md has at most 200 lines, and its two commands come before line 40', () => {
    const lines = readPage('README.md').text.split('\n');
    expect(lines.length).toBeLessThanOrEqual(201);
    for (const command of ['npm ci && npx webmail-diaglog replay fixtures/requests.csv', 'npm ci && npm test'])
      expect(lines.slice(0, 39)).toContain(command);
  });

  test.each(PAGES)('no line of the prose of $path is over 120 characters, tables apart', ({ prose }) => {
    expect(prose.split('\n').filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
  });
});
