import { expect, test } from '@jest/globals';
import { loadCommands } from '../../src/cli/main.js';
import { COMPARE_OPTIONS } from '../../src/compare/options.js';
import { codeSpans, readPage, tableRows } from '../support/pages.js';
import { PROJECT, runNode } from '../support/run.js';

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
