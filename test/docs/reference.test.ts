import { describe, expect, test } from '@jest/globals';
import { RULE_NAMES, RULES } from '../../src/check/rules.js';
import { COMPARE_OPTIONS } from '../../src/compare/options.js';
import { createDeployment } from '../../src/log/deployment.js';
import { codeSpans, readPage, tableRows } from '../support/pages.js';
import { runEach } from '../support/run-each.js';
import { PROJECT, runNode } from '../support/run.js';

/** An option as the help of a command describes it. */
interface HelpedOption {
  /** `--order` */
  readonly name: string;
  readonly description: string;
}

const COMMANDS = ['replay', 'synth', 'parse', 'check', 'stats', 'compare', 'receive', 'serve', 'completion'];

/** The help of each command, and of the program under the name ''. */
const HELP = runEach([...COMMANDS.map((command) => [command, '--help']), ['--help']]).then(
  (results) => new Map([...COMMANDS, ''].map((command, index) => [command, results[index]?.stdout ?? ''])),
);

async function helpOf(command: string): Promise<string> {
  return (await HELP).get(command) ?? '';
}

/** The options in the help of a command, but for `--help` itself. */
async function optionsOf(command: string): Promise<readonly HelpedOption[]> {
  const stdout = await helpOf(command);
  const [, section = ''] = /\nOptions:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
  const entries = section.split(/\n(?= {2}-)/).map((entry) => entry.replace(/\s+/g, ' '));
  return entries.flatMap((entry) => {
    const [, name = '', description = ''] = / (--[a-z-]+)(.*)/.exec(entry) ?? [];
    return name === '--help' ? [] : [{ name, description }];
  });
}

/** The choices that a description lists: `(choices: "csv", "access-log", …)`. */
function choicesOf({ description }: HelpedOption): readonly string[] {
  return Array.from(/choices: ([^)]*)/.exec(description)?.[1]?.matchAll(/"([^"]+)"/g) ?? [], ([, choice = '']) => choice);
}

/** A default that is a value, not words about it. */
function defaultOf({ description }: HelpedOption): string | undefined {
  return /default: (?!an? |the )([^\s()]+)\)/.exec(description)?.[1];
}

async function commandsInHelp(): Promise<readonly string[]> {
  const stdout = await helpOf('');
  const [, section = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
  return Array.from(section.matchAll(/^ {2}([a-z]+) /gm), ([, name = '']) => name).filter((name) => name !== 'help');
}

test('README.md lists the commands in the order of the help, each with its page', async () => {
  const commands = tableRows(readPage('README.md'), 'command').map(([cell]) => cell);
  expect(commands).toEqual((await commandsInHelp()).map((name) => `[\`${name}\`](docs/${name}.md)`));
  expect(commands).not.toEqual([]);
});

describe.each(COMMANDS)('docs/%s.md', (command) => {
  const rows = tableRows(readPage(`docs/${command}.md`), 'option');

  test('lists every option of the command, and no other', async () => {
    const listed = rows.flatMap(([cell = '']) => codeSpans(cell)).flatMap((span) => /^--[a-z-]+/.exec(span) ?? []);
    const helped = (await optionsOf(command)).map(({ name }) => name);
    expect(helped).toContain('--output');
    expect(listed.toSorted()).toEqual(helped.toSorted());
  });

  test('names the choices and the defaults that the help names', async () => {
    for (const option of await optionsOf(command)) {
      const [cell = '', value = ''] = rows.find(([named = '']) => named.includes(`\`${option.name}`)) ?? [];
      const choices = choicesOf(option);
      if (choices.length > 0) expect(cell).toContain(`\`${option.name} ${choices.join('\\|')}\``);
      const literal = defaultOf(option);
      // What is fixed per installation has its defaults in docs/format.md.
      if (literal !== undefined && !cell.includes('--deployment'))
        expect(`${option.name} ${value}`).toBe(`${option.name} \`${literal}\``);
    }
  });
});

test('choices and defaults are found in the help', async () => {
  const order = (await optionsOf('replay')).filter(({ name }) => name === '--order');
  expect(order.map((option) => [choicesOf(option), defaultOf(option)])).toEqual([[['strict', 'sort', 'keep'], 'strict']]);
});

describe('docs/format.md', () => {
  const rows = tableRows(readPage('docs/format.md'), 'key');

  test('lists every key of a deployment with its default', () => {
    const { plugins, ...defaults } = createDeployment();
    expect(plugins.length).toBe(7);
    const listed = rows.map(([key = '', , value = '']) => [...codeSpans(key), ...codeSpans(value)]);
    const expected = Object.entries({ ...defaults, plugins: undefined }).map(([key, value]) => [
      key,
      ...(value === undefined ? [] : [String(value)]),
    ]);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  test('lists every flag for one of them', async () => {
    const flags = rows.flatMap(([, flag = '']) => codeSpans(flag)).map((flag) => flag.split(' ')[0]);
    const stdout = await helpOf('replay');
    for (const flag of flags) expect(stdout).toContain(`  ${flag ?? ''} `);
    expect(flags).toEqual(['--install-root', '--timezone', '--plugins', '--dialect']);
  });
});

test('docs/check.md lists every rule with its sections, in order', () => {
  const listed = tableRows(readPage('docs/check.md'), 'rule').map(([rule = '', sections]) => [...codeSpans(rule), sections]);
  expect(listed).toEqual(Object.entries(RULES).map(([rule, { section }]) => [rule, section]));
  expect(listed.map(([rule]) => rule)).toEqual(RULE_NAMES);
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
