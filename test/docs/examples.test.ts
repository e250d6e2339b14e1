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

/**
 * Runs the commands of a page one after the other, in one shell as its reader does, and returns the texts that its `console` blocks are
 * to hold. After each command stdout and stderr get a NUL.
 */
async function runConsoles(blocks: readonly Block[], cwd: string): Promise<readonly string[]> {
  const script = blocks.flatMap(({ text }) => commandsOf(text)).map((command) => `${command}\nprintf '\\0'; printf '\\0' >&2\n`);
  const { stdout, stderr } = await runShell(STUBS + script.join(''), { cwd });
  const printed = Buffer.from(stdout, 'latin1').toString('utf8').split('\0');
  const messages = stderr.split('\0');
  return blocks.map(({ text }) =>
    commandsOf(text)
      .map((command) => `$ ${command}\n${messages.shift() ?? ''}${printed.shift() ?? ''}`)
      .join(''),
  );
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
  for (const block of blocks) {
    const name = block.language === 'js' ? programName(block) : undefined;
    if (name !== undefined) writeFileSync(join(cwd, name), block.text);
  }
  const consoles = blocks.filter(({ language }) => language === 'console');
  expect(await runConsoles(consoles, cwd)).toEqual(consoles.map(({ text }) => text));
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
  // All are saved before the first of them is run.
  expect(new Set(programs.map(programName)).size).toBe(programs.length);
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
