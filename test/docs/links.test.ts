import { existsSync, readFileSync } from 'node:fs';
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

/** `files` of package.json, and what `npm pack` always packs. */
const [, FILES = ''] = /"files": \[([^\]]*)\]/.exec(readFileSync(join(PROJECT, 'package.json'), 'utf8')) ?? [];
const PACKED = ['LICENSE', 'README.md', 'package.json', ...Array.from(FILES.matchAll(/"([^"]+)"/g), ([, path = '']) => path)];

/** What is wrong with a link of a page; undefined if it leads somewhere. */
function findLinkFault(page: Page, link: string): string | undefined {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
  if (!PACKED.some((packed) => path === packed || path.startsWith(`${packed}/`))) return `${link}: is not in the package`;
  if (!existsSync(join(PROJECT, path))) return `${link}: no such file`;
  return anchor === undefined || anchorsOf(readPage(path)).includes(anchor) ? undefined : `${link}: no such heading`;
}

describe('links', () => {
  test.each(PAGES)('$path is in the package, and links to files and headings that are there, in the package', (page) => {
    expect(['', ...linksOf(page)].flatMap((link) => findLinkFault(page, link) ?? [])).toEqual([]);
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
