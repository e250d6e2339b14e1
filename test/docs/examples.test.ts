import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandsOf, makeReadersFolder, PAGES_WITH_CONSOLE, programName, runExamples, STUBS } from '../support/page-examples.js';
import { DOCS, PAGES, readPage } from '../support/pages.js';
import { PROJECT, runShell } from '../support/run.js';

test('every page has examples that are run, but for those of services and releases', () => {
  const others = DOCS.filter((page) => !PAGES_WITH_CONSOLE.includes(page));
  expect(others.map(({ path }) => path)).toEqual(['docs/receive.md', 'docs/releasing.md', 'docs/serve.md']);
  expect(PAGES_WITH_CONSOLE.length).toBeGreaterThan(9);
});

test('each program of the library is run by an example further down', () => {
  const { blocks } = readPage('docs/library.md');
  const programs = blocks.filter(({ language }) => language === 'js');
  expect(programs.length).toBeGreaterThan(2);
  // All are saved before the first of them is run.
  expect(new Set(programs.map(programName)).size).toBe(programs.length);
  for (const program of programs) {
    const below = blocks.slice(blocks.indexOf(program) + 1).filter(({ language }) => language === 'console');
    const commands = below.flatMap(({ text }) => commandsOf(text)).map((command) => command.split(' ').slice(0, 2).join(' '));
    expect(commands).toContain(`node ${programName(program) ?? 'a name in its first line'}`);
  }
});

describe('README.md', () => {
  const page = readPage('README.md');
  const blocks = page.blocks.filter(({ language }) => language === 'sh');

  // Those of docs/ are run by test/system/page-examples.test.ts.
  test('its examples print what it shows, one after the other', async () => {
    const { printed, shown } = await runExamples(page);
    expect(printed).toEqual(shown);
  });

  test('its first command prints the golden log that it names', async () => {
    const [block, ...others] = blocks.filter(({ note }) => note.startsWith('prints: '));
    expect(block?.text).toMatch(/^npm ci && npx webmail-diaglog replay /);
    expect(others).toEqual([]);
    const { exit, stdout } = await runShell(STUBS + (block?.text ?? ''), { cwd: makeReadersFolder() });
    expect(exit).toBe(0);
    expect(stdout === readFileSync(join(PROJECT, block?.note.replace('prints: ', '') ?? ''), 'latin1')).toBe(true);
  });

  test('its second command is what .ci/run calls', () => {
    expect(blocks.map(({ text }) => text)).toContain('npm ci && npm test\n');
    expect(readFileSync(join(PROJECT, '.ci/run'), 'utf8')).toContain('\nnpm ci && npm test\n');
  });
});

describe('every shell example of every page is run, or says why not', () => {
  test.each(PAGES)('$path', ({ path, blocks, prose }) => {
    const unknown = blocks.filter(
      ({ language, note }) =>
        !/^(?:console|js|conf|text) $|^sh not-run: .{5,}|^sh prints: fixtures\//.test(`${language} ${note}`),
    );
    expect({ path, unknown }).toEqual({ path, unknown: [] });
    // A block that is indented, not fenced, would be seen by nothing here.
    expect(prose.match(/\n\n {4}\S.*/g) ?? []).toEqual([]);
    // Every fence has been found, opened and closed.
    expect(prose.match(/.*```.*/g) ?? []).toEqual([]);
    // Commands stand behind a prompt: what stands before the first one would be compared with nothing.
    for (const { language, text } of blocks) if (language === 'console') expect(text).toMatch(/^\$ /);
  });
});

test('docs/operation.md shows the file for logrotate as it is, but for its comments', () => {
  const config = readFileSync(join(PROJECT, 'examples/logrotate/webmail-diaglog'), 'utf8');
  const shown = /^```conf\n(.*?)^```$/ms.exec(readPage('docs/operation.md').text)?.[1];
  expect(shown).toBe(config.replace(/^ *#.*\n/gm, ''));
});
