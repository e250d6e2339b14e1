import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { COMMAND_NAMES, createProgram } from '../../src/cli/main.js';
import { VERSION } from '../../src/export/version.js';
import { PROJECT, requireBuild } from '../support/built.js';

requireBuild();

/** The page as built, without the escapes and the font changes of roff; a space stands for each end of a line. */
const PAGE = readFileSync(join(PROJECT, 'dist/webmail-diaglog.1'), 'utf8')
  .replaceAll(/\\f[BIP]/g, '')
  .replaceAll('\\(aq', "'")
  .replaceAll('\\(ti', '~')
  .replaceAll('\\e', '\\\\')
  .replaceAll('\\-', '-')
  .replaceAll(/\s+/g, ' ');

test('the man page is that of this version, and npm installs it', () => {
  const manifest = readFileSync(join(PROJECT, 'package.json'), 'utf8');
  // In a list: npm 11 passes over a single name.
  expect(manifest).toContain('"man": [\n    "./dist/webmail-diaglog.1"\n  ]');
  expect(PAGE).toMatch(/^\.TH WEBMAIL-DIAGLOG 1 \d{4}-\d\d-\d\d "webmail-diaglog /);
  expect(PAGE).toContain(`"webmail-diaglog ${VERSION}"`);
});

describe.each(COMMAND_NAMES)('the man page on %s', (name) => {
  test('holds its usage, its arguments and options with all that their help says, and the rest of the help', async () => {
    const { commands } = await createProgram(COMMAND_NAMES);
    const [command] = commands.filter((each) => each.name() === name);
    if (command === undefined) throw new Error(`no command ${name}`);
    const help = command.createHelp();
    let shown = '';
    command.configureOutput({ writeOut: (text) => (shown += text), getOutHelpWidth: () => 80 }).outputHelp();
    const [, section = ''] = PAGE.split(` .SS ${name} `);
    const [ofCommand = ''] = section.split(' .SS ');

    expect(ofCommand.startsWith(help.commandUsage(command))).toBe(true);
    const described = [
      ...command.registeredArguments.map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
      ...command.options.map((option) => [help.optionTerm(option), help.optionDescription(option)]),
    ];
    expect(described.length).toBeGreaterThan(1);
    for (const [term = '', description = ''] of described)
      expect(ofCommand).toContain(` .TP ${term} ${description} .`.replaceAll('…', '...'));
    const lines = shown
      .slice(command.helpInformation().length)
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines)
      expect(ofCommand).toContain(line.trim().replaceAll(/\s+/g, ' ').replaceAll('…', '...').replaceAll('\\', '\\\\'));
  });
});
