import { VERSION } from '../../version.js';
import type { CommandDefinition, OptionDefinition, ValueKind } from '../options/option.js';
import { FILE, oneOf } from '../options/values.js';
import { describeOption, flagsOf, HELP_OPTION, PROGRAM, PROGRAM_OPTIONS } from '../program.js';

/** The command line, as a completion script needs it. */
export type CommandLine = ReturnType<typeof describeCommandLine>;
export type CompletedCommand = CommandLine['commands'][number];
export type CompletedOption = ReturnType<typeof completedOption>;

export function describeCommandLine(commands: readonly CommandDefinition[]) {
  const described = commands.map(({ name, summary, arguments: args, options }) => {
    // All arguments of a command have the same values.
    const [argument] = Object.entries(args).map(([placeholder, { value = FILE }]): ValueKind => ({ ...value, placeholder }));
    return { name, summary, options: [...Object.entries(options), HELP_OPTION].map(completedOption), argument };
  });
  const names = oneOf('command', [...commands.map(({ name }) => name), 'help']);
  const help = { name: 'help', summary: HELP_OPTION[1].meaning, options: [], argument: names };
  const options = PROGRAM_OPTIONS.map(completedOption);
  return { program: PROGRAM, version: VERSION, options, names, commands: [...described, help] };
}

/** The flags are the long one and, if there is one, the short one behind it. The value is undefined for a switch. */
function completedOption([key, option]: readonly [string, OptionDefinition]) {
  return { flags: flagsOf(key, option).toReversed(), description: describeOption(option), value: option.value };
}
