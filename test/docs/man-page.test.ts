import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { COMMAND_NAMES, createProgram, loadCommands } from '../../src/cli/main.js';
import { VERSION } from '../../src/version.js';
import { PROJECT, requireBuild } from '../support/built.js';

requireBuild();

const FOLDER = join(PROJECT, 'dist/man');

/** A page as built, without the escapes and the font changes of roff; a space stands for each end of a line. */
function readManPage(name: string): string {
  return readFileSync(join(FOLDER, `${name}.1`), 'utf8')
    .replaceAll(/\\f[BIP]/g, '')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\(ti', '~')
    .replaceAll('\\e', '\\\\')
    .replaceAll('\\-', '-')
    .replaceAll(/\s+/g, ' ');
}

function sectionsOf(name: string): readonly string[] {
  return Array.from(readFileSync(join(FOLDER, `${name}.1`), 'utf8').matchAll(/^\.SH (.*)$/gm), ([, section = '']) => section);
}

test('there is a page for the program and one a command, which npm installs', () => {
  const names = ['webmail-diaglog', ...COMMAND_NAMES.map((name) => `webmail-diaglog-${name}`)];
  expect(readdirSync(FOLDER).toSorted()).toEqual(names.map((name) => `${name}.1`).toSorted());
  const manifest = readFileSync(join(PROJECT, 'package.json'), 'utf8');
  expect(manifest).toContain(`"man": [\n${names.map((name) => `    "./dist/man/${name}.1"`).join(',\n')}\n  ]`);
});

test('the page of the program is that of this version, and leads to those of the commands', () => {
  const page = readManPage('webmail-diaglog');
  expect(page).toMatch(/^\.TH WEBMAIL-DIAGLOG 1 \d{4}-\d\d-\d\d "webmail-diaglog /);
  expect(page).toContain(`"webmail-diaglog ${VERSION}"`);
  const sections = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'EXIT STATUS', 'FILES', 'SEE ALSO'];
  expect(sectionsOf('webmail-diaglog')).toEqual(sections);
  const [, seeAlso = ''] = page.split(' .SH SEE ALSO ');
  for (const name of COMMAND_NAMES) expect(seeAlso).toContain(`webmail-diaglog-${name}(1)`);
});

test.each(COMMAND_NAMES)(
  'the man page of %s has the usual sections, and holds usage, arguments, options and the rest of the help',
  async (name) => {
    const page = readManPage(`webmail-diaglog-${name}`);
    const sections = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS', 'FILES', 'EXAMPLES', 'SEE ALSO'];
    expect(sectionsOf(`webmail-diaglog-${name}`)).toEqual(sections);
    const [command = new Command()] = (await createProgram([name])).commands;
    const [definition] = await loadCommands([name]);
    const help = command.createHelp();
    expect(page).toContain(help.commandUsage(command));
    const described = [
      ...command.registeredArguments.map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
      ...command.options.map((option) => [help.optionTerm(option), help.optionDescription(option)]),
      ...Object.entries(definition?.exit ?? {}),
    ];
    expect(described.length).toBeGreaterThan(3);
    for (const [term = '', description = ''] of described)
      expect(page).toContain(` .TP ${term} ${description}`.replaceAll('…', '...'));
    const lines = [definition?.help ?? '', ...(definition?.examples ?? [])].flatMap((text) => text.split('\n'));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines)
      expect(page).toContain(line.trim().replaceAll(/\s+/g, ' ').replaceAll('…', '...').replaceAll('\\', '\\\\'));
  },
);
