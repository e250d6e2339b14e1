import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { flagOf } from '../../src/cli/messages.js';
import { loadCommands } from '../../src/cli/main.js';
import { COMPARE_OPTIONS } from '../../src/compare/options.js';
import { VERSION } from '../../src/version.js';
import { codeSpans, readPage, tableRows } from '../support/pages.js';
import { PROJECT, readBytes, runNode } from '../support/run.js';

test('the generated regions of the pages are those that `npm run docs` writes', async () => {
  const { exit, stdout, stderr } = await runNode(['man/write-regions.js', '--check'], { cwd: PROJECT });
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '', stderr: '' });
});

test('each command has its page, with the table of its options, and README.md links to it', async () => {
  const commands = tableRows(readPage('README.md'), 'command').map(([cell]) => cell);
  const names = (await loadCommands()).map(({ name }) => name);
  expect(commands).toEqual(names.map((name) => `[\`${name}\`](docs/${name}.md)`));
  for (const name of names) expect(readPage(`docs/${name}.md`).text).toContain(`\n<!-- options ${name} -->\n`);
});

test('docs/library.md lists every option of compareLogs, in order', () => {
  const rows = tableRows(readPage('docs/library.md'), 'option');
  const listed = rows.flatMap(([cell = '']) => codeSpans(cell)).filter((span) => !span.includes(':'));
  expect(listed).toEqual(Object.keys(COMPARE_OPTIONS));
});

test('docs/library.md lists every export that is a value', async () => {
  const listed = tableRows(readPage('docs/library.md'), 'export').flatMap(([names = '']) => codeSpans(names));
  const program = "console.log(Object.keys(await import('webmail-diaglog')).join(' '))";
  const { stdout } = await runNode(['--input-type=module', '--eval', program], { cwd: PROJECT });
  expect(listed.toSorted()).toEqual(stdout.trim().split(' ').toSorted());
});

test('CHANGELOG.md has the sections of Keep a Changelog', () => {
  const { text } = readPage('CHANGELOG.md');
  const [first, ...released] = text.match(/^## .*$/gm) ?? [];
  expect(first).toBe('## [Unreleased]');
  for (const heading of released) expect(heading).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  if (released.length > 0) expect(released[0]).toContain(`[${VERSION}]`);
  const kinds = text.match(/^### .*$/gm) ?? [];
  expect(kinds.length).toBeGreaterThan(2);
  for (const kind of kinds) expect(kind).toMatch(/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/);
});

describe('CONTRIBUTING.md', () => {
  const { text, prose } = readPage('CONTRIBUTING.md');

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

test('the compose file calls commands with options that there are', async () => {
  const commands = new Map((await loadCommands()).map((command) => [command.name, command]));
  const lines = Array.from(
    readBytes(PROJECT, 'examples', 'docker/compose.yaml').matchAll(/command: \[(.*)\]$/gm),
    ([, line = '']) => line.split(', '),
  );
  const calls = lines.filter(([first = '']) => commands.has(first));
  expect(calls.map(([first]) => first)).toEqual(['canary', 'receive']);
  for (const [first = '', ...words] of calls) {
    const known = Object.keys(commands.get(first)?.options ?? {}).map(flagOf);
    expect(words.filter((word) => word.startsWith('--') && !known.includes(word))).toEqual([]);
  }
});

const MANIFESTS = ['docker/compose', 'kubernetes/canary', 'kubernetes/make', 'kubernetes/compare', 'canary/deployment'];

test.each(MANIFESTS)('examples/%s.yaml names the image of this version', (name) => {
  const images = readBytes(PROJECT, 'examples', `${name}.yaml`).match(/(?<=image: )\S*webmail-diaglog\S*/g) ?? [];
  expect(images.length).toBeGreaterThan(0);
  expect(new Set(images)).toEqual(new Set([`registry.example/webmail-diaglog:${VERSION}`]));
});
