import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { flagOf } from '../../src/cli/messages.js';
import { COMMAND_NAMES, createProgram, loadCommands } from '../../src/cli/main.js';
import { callEach, expectRefused } from '../support/call.js';
import { PROJECT } from '../support/run.js';

const PROGRAM = 'webmail-diaglog';

/** What is typed to call the program or one of its commands. */
const CALLS = [PROGRAM, ...COMMAND_NAMES.map((name) => `${PROGRAM} ${name}`)];

const COLUMNS = 80;

/** Finds what is called: a command, or the program with all its commands. */
async function commandOf(call: string): Promise<Command> {
  const program = await createProgram(COMMAND_NAMES);
  return program.commands.find((command) => `${PROGRAM} ${command.name()}` === call) ?? program;
}

/** Shows the help of a command as on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => COLUMNS }).outputHelp();
  return help;
}

/** Finds lines that are too wide, in characters or bytes. */
function wideLinesOf(help: string): readonly string[] {
  return help.split('\n').filter((line) => Buffer.byteLength(line) > COLUMNS);
}

test.each(CALLS)('%s --help describes all that can be given, in lines of 80 columns, with examples', async (call) => {
  const command = await commandOf(call);
  const help = helpOf(command);
  expect(help).toContain(`Usage: ${call} [options]`);
  expect(wideLinesOf(help)).toEqual([]);
  const [examples = ''] = /(?<=\nExamples:\n)(?: {2}.*\n)+/.exec(help) ?? [];
  expect(examples.split(call).length - 1).toBeGreaterThanOrEqual(2);
  const described = [...command.registeredArguments, ...command.createHelp().visibleOptions(command)];
  const summaries = command.commands.map((each) => each.summary());
  const texts = [command.description(), ...described.map(({ description }) => description), ...summaries];
  expect(texts.length).toBeGreaterThan(3);
  expect(texts).not.toContain('');
  // Lines are broken between words.
  for (const text of texts) expect(help.replace(/\s+/g, ' ')).toContain(text);
});

/** Options of Node, `docker logs` and curl that messages name. */
const OTHER_FLAGS = ['--allow-fs-read', '--allow-fs-write', '--data-binary', '--timestamps'];

test('every flag that messages, help and comments of src name is there', async () => {
  const flags = (await loadCommands()).flatMap(({ options }) => Object.keys(options).map(flagOf));
  // Custom properties of CSS look like options.
  const isProse = (path: string): boolean => path.endsWith('.ts') && path !== 'stats/page/style-sheet.ts';
  const paths = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' }).filter(isProse);
  const texts = paths.map((path) => readFileSync(join(PROJECT, 'src', path), 'utf8'));
  const named = new Set(texts.flatMap((text) => text.match(/(?<![\w-])--[a-z][a-z-]+/g) ?? []));
  const known = [...flags, '--help', '--version', ...OTHER_FLAGS];
  expect(Array.from(named).filter((flag) => !known.includes(flag))).toEqual([]);
});

test.each([
  ['help check', 'check --help'],
  ['help help', '--help'],
])('%s is %s', async (words, help) => {
  const [one, other] = await callEach([words, help]);
  expect(one).toEqual({ exit: 0, stdout: other?.stdout, stderr: '' });
  expect(wideLinesOf(one?.stdout ?? '')).toEqual([]);
});

test('an unknown command is named: exit 2', async () => {
  await expectRefused('', PROJECT, {
    'help replya': "unknown command 'replya' (Did you mean replay?); see webmail-diaglog --help",
    'replya --help': "unknown command 'replya' (Did you mean replay?); see webmail-diaglog --help",
    'help xyz': "unknown command 'xyz'; see webmail-diaglog --help",
  });
});
