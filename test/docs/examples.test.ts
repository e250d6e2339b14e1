import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DOCS, PAGES, readPage, type Block } from '../support/pages.js';
import { makeFolder, PROJECT, runShell } from '../support/run.js';

/** `npx webmail-diaglog` is the command under test; `npm ci` has been run, or these tests would not be. */
const STUBS = `npx() { "$@"; }; npm() { :; }; node() { "${process.execPath}" "$@"; }\n`;

/** A folder as the reader of a page has it: the fixtures and parsers of a clone or the package, and the library installed. */
function makeReadersFolder(): string {
  const folder = makeFolder();
  for (const name of ['fixtures', 'parsers']) symlinkSync(join(PROJECT, name), join(folder, name));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(PROJECT, join(folder, 'node_modules', 'webmail-diaglog'));
  return folder;
}

/** Runs the commands of a `console` block one after the other, and returns the text that the block is to hold. */
async function runConsole({ text }: Block, cwd: string): Promise<string> {
  let shown = '';
  for (const command of commandsOf(text)) {
    const { stdout, stderr } = await runShell(STUBS + command, { cwd });
    shown += `$ ${command}\n${stderr}${Buffer.from(stdout, 'latin1').toString('utf8')}`;
  }
  return shown;
}

function commandsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/^\$ (.+)$/gm), ([, command = '']) => command);
}

/** The file that a program of the library is saved as: its first line names it. */
function programName({ text }: Block): string | undefined {
  return /^\/\/ (\S+\.mjs)\n/.exec(text)?.[1];
}

const PAGES_WITH_CONSOLE = DOCS.filter(({ blocks }) => blocks.some(({ language }) => language === 'console'));

test.each(PAGES_WITH_CONSOLE)('the examples of $path print what it shows, one after the other', async ({ blocks }) => {
  const cwd = makeReadersFolder();
  const expected: string[] = [];
  const printed: string[] = [];
  for (const block of blocks) {
    const name = block.language === 'js' ? programName(block) : undefined;
    if (name !== undefined) writeFileSync(join(cwd, name), block.text);
    if (block.language !== 'console') continue;
    expected.push(block.text);
    printed.push(await runConsole(block, cwd));
  }
  expect(printed).toEqual(expected);
});

test('every page has examples that are run, but for that of serve', () => {
  const others = DOCS.filter((page) => !PAGES_WITH_CONSOLE.includes(page));
  expect(others.map(({ path }) => path)).toEqual(['docs/serve.md']);
  expect(PAGES_WITH_CONSOLE.length).toBeGreaterThan(9);
});

test('each program of the library is run by an example further down', () => {
  const { blocks } = readPage('docs/library.md');
  const programs = blocks.filter(({ language }) => language === 'js');
  expect(programs.length).toBeGreaterThan(2);
  for (const program of programs) {
    const below = blocks.slice(blocks.indexOf(program) + 1).filter(({ language }) => language === 'console');
    const commands = below.flatMap(({ text }) => commandsOf(text)).map((command) => command.split(' ').slice(0, 2).join(' '));
    expect(commands).toContain(`node ${programName(program) ?? 'a name in its first line'}`);
  }
});

describe('README.md', () => {
  const blocks = readPage('README.md').blocks.filter(({ language }) => language === 'sh');

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
