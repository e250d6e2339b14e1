import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './run.js';

export interface Block {
  /** The first word behind the fence: `console`, `sh`, `js`, … */
  readonly language: string;
  /** The rest of that line: `not-run: endless`. */
  readonly note: string;
  readonly text: string;
}

export interface Page {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly prose: string;
}

const BLOCK = /^```(\S*) ?(.*)\n((?:.*\n)*?)^```$/gm;

export function readPage(path: string): Page {
  const text = readFileSync(join(PROJECT, path), 'utf8');
  const blocks = Array.from(text.matchAll(BLOCK), ([, language = '', note = '', content = '']) => ({
    language,
    note,
    text: content,
  }));
  return { path, text, blocks, prose: text.replace(BLOCK, '') };
}

const REFERENCE = 'docs/reference/README.md';

/** README.md, then the pages of docs/ that are written by hand, in the order of their names. */
export const DOCS: readonly Page[] = ['README.md', ...markdownIn('docs')].map(readPage);

/** All pages that are written by hand: `DOCS`, and those of single files and folders. */
export const PAGES: readonly Page[] = [
  ...DOCS,
  ...['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('examples'), ...markdownIn('parsers')].map(readPage),
];

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `${folder}/${path}`)
    .filter((path) => path !== REFERENCE)
    .sort();
}

/** The rows of the table of a page whose header begins with a cell, each as its cells; a `\|` does not end a cell. */
export function tableRows({ path, prose }: Page, firstHeader: string): readonly (readonly string[])[] {
  const lines = prose.split('\n');
  const headerAt = lines.findIndex((line) => line.startsWith(`| ${firstHeader} |`));
  if (headerAt === -1) throw new Error(`${path} has no table of ${firstHeader}`);
  const [, , ...rest] = lines.slice(headerAt);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export function codeSpans(text: string): readonly string[] {
  return Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}
