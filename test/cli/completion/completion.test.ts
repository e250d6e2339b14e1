import { describe, expect, test } from '@jest/globals';
import { RULE_NAMES } from '../../../src/check/rules.js';
import { describeCommandLine, type CommandLine } from '../../../src/cli/completion/command-line.js';
import { zoneNames } from '../../../src/cli/completion/run.js';
import { COMMAND_NAMES, loadCommands } from '../../../src/cli/main.js';
import { zoneNamed } from '../../../src/log/zone.js';
import { call, expectRefused } from '../../support/call.js';
import { makeFolder, runShell } from '../../support/run.js';

async function readCommandLine(): Promise<CommandLine> {
  return describeCommandLine(await loadCommands());
}

describe('the definitions of the commands', () => {
  test('all arguments of a command have the same values, as CommandLine says', async () => {
    const several = (await loadCommands()).filter(({ arguments: args }) => Object.keys(args).length > 1).map(({ name }) => name);
    // <expected> or <log>, and [received...] are files, both.
    expect(several).toEqual(['compare', 'canary']);
  });

  test('words need no quoting in any shell, and are no patterns', async () => {
    const values = (await readCommandLine()).commands.flatMap(({ options, argument }) => [...options, { value: argument }]);
    const words = values.flatMap(({ value }) => value?.words ?? []);
    expect(words.length).toBeGreaterThan(50);
    expect([...words, ...COMMAND_NAMES].filter((word) => !/^[\w-]+$/.test(word))).toEqual([]);
    expect(zoneNames().filter((zone) => !/^[\w/+-]+$/.test(zone))).toEqual([]);
  });
});

test('every time zone that is offered is accepted', () => {
  const zones = zoneNames();
  expect(zones).toContain('UTC');
  expect(zones.length).toBeGreaterThan(400);
  for (const zone of zones) expect(() => zoneNamed(zone)).not.toThrow();
});

test.each(['bash', 'zsh', 'fish'])('completion %s names every command, every option and every value', async (shell) => {
  const { exit, stdout, stderr } = await call(`completion ${shell}`);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const { commands } = await readCommandLine();
  expect(commands.map(({ name }) => name)).toEqual([...COMMAND_NAMES, 'help']);
  const flags = commands.flatMap(({ options }) => options.flatMap((option) => option.flags));
  const words = shell === 'fish' ? flags.map((flag) => flag.replace(/^--/, '-l ').replace(/^-(?=.$)/, '-s ')) : flags;
  for (const word of [...words, ...RULE_NAMES, 'otel', 'copytruncate', 'Europe/Warsaw']) expect(stdout).toContain(word);
  for (const name of COMMAND_NAMES) expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
  // ASCII alone, but for a placeholder.
  const text = Buffer.from(stdout, 'latin1').toString('utf8');
  expect(text.replaceAll(/(?<=rate|path),…/g, '')).toMatch(/^[\n\x20-\x7e]*$/);
});

test('calls that are refused', async () => {
  await expectRefused('completion', makeFolder(), {
    '': "missing required argument 'shell'; see webmail-diaglog completion --help",
    tcsh: /command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish; see/,
    'bash zsh': /too many arguments for 'completion'. Expected 1 argument but got 2; see/,
  });
});

/** Command lines that bash completes at their end, without the program; the replies. Readline replaces what stands behind a `:` or `=`. */
const LINES: readonly (readonly [line: string, replies: string])[] = [
  ['', 'replay synth parse check stats compare canary receive serve completion help'],
  ['s', 'synth stats serve'],
  ['-', '--version -V --help -h'],
  ['stats -', '--json --html --envelope --output -o --quiet --help -h'],
  ['stats -o -- --j', '--json'],
  ['stats -- --j', ''],
  ['stats - --j', '--json'],
  ['replay --order ', 'strict sort keep'],
  ['replay --order=', 'strict sort keep'],
  ['replay --order=k', 'keep'],
  ['replay --live ', ''],
  ['synth --seed ', ''],
  ['synth ', ''],
  ['nonsense --', ''],
  ['nonsense ', ''],
  ['synth --faults torn:0.1,t', ''],
  ['synth --faults late:0.1,t', '0.1,torn:'],
  ['synth --faults=m', 'missing:'],
  ['check --allow off', 'offset'],
  ['check --allow offset,path,t', 'offset,path,timestamp offset,path,timezone'],
  ['check --timezone Europe/W', 'Europe/Warsaw'],
  ["check --timezone 'Europe/W", 'Europe/Warsaw'],
  ['synth --faults "torn:0.1,mi', 'torn:0.1,missing:'],
  ['synth --faults="torn:0.1,mi', 'torn:0.1,missing:'],
  ['synth "--faults=torn:0.1,mi', '--faults=torn:0.1,missing:'],
  ['synth --faults "torn:0.1",mi', ''],
  ['help s', 'synth stats serve'],
];

/** Calls the completion of bash for each line, where unset variables are errors, and writes the replies. */
const COMPLETE_LINES = `
set -u
eval "$(webmail-diaglog completion bash)"
while IFS= read -r COMP_LINE; do
  COMP_POINT=\${#COMP_LINE}
  _webmail_diaglog
  (IFS=' '; printf '%s\\n' "\${COMPREPLY[*]-}")
done`;

test('bash completes words', async () => {
  const stdin = LINES.map(([line]) => `webmail-diaglog ${line}\n`).join('');
  const { exit, stdout, stderr } = await runShell(COMPLETE_LINES, { stdin, cwd: makeFolder() });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(LINES.map(([line], index) => [line, stdout.split('\n')[index]])).toEqual(LINES);
});
