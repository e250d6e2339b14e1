import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS, type Block, type Page } from './pages.js';
import { makeFolder, PROJECT, runShell } from './run.js';

export const PAGES_WITH_CONSOLE = DOCS.filter(({ blocks }) => blocks.some(({ language }) => language === 'console'));

/** `npx webmail-diaglog` is the command under test; `npm ci` has been run, or these tests would not be. */
export const STUBS = `npx() { "$@"; }; npm() { :; }; node() { "${process.execPath}" "$@"; }\n`;

/** A folder as the reader of a page has it: the fixtures and parsers of a clone or the package, and the library installed. */
export function makeReadersFolder(): string {
  const folder = makeFolder();
  for (const name of ['fixtures', 'parsers']) symlinkSync(join(PROJECT, name), join(folder, name));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(PROJECT, join(folder, 'node_modules', 'webmail-diaglog'));
  return folder;
}

export function commandsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/^\$ (.+)$/gm), ([, command = '']) => command);
}

/** The file that a program of the library is saved as: its first line names it. */
export function programName({ text }: Block): string | undefined {
  return /^\/\/ (\S+\.mjs)\n/.exec(text)?.[1];
}

/**
 * Runs the examples of a page in one shell, one after the other: what its `console` blocks are to hold, and what they show. After each
 * command stdout and stderr get a NUL.
 */
export async function runExamples({ blocks }: Page): Promise<Readonly<Record<'printed' | 'shown', readonly string[]>>> {
  const cwd = makeReadersFolder();
  for (const block of blocks) {
    const name = block.language === 'js' ? programName(block) : undefined;
    if (name !== undefined) writeFileSync(join(cwd, name), block.text);
  }
  const consoles = blocks.filter(({ language }) => language === 'console');
  const shown = consoles.map(({ text }) => text);
  const script = shown.flatMap(commandsOf).map((command) => `${command}\nprintf '\\0'; printf '\\0' >&2\n`);
  const { stdout, stderr } = await runShell(STUBS + script.join(''), { cwd });
  const outputs = Buffer.from(stdout, 'latin1').toString('utf8').split('\0');
  const messages = stderr.split('\0');
  const print = (command: string): string => `$ ${command}\n${messages.shift() ?? ''}${outputs.shift() ?? ''}`;
  return { printed: shown.map((text) => commandsOf(text).map(print).join('')), shown };
}
