import { VERSION } from '../../export/version.js';
import type { CommandDefinition, OptionDefinition, ValueKind } from '../options/option.js';
import { describeOption, flagsOf, HELP_OPTION, placeholderOf, PROGRAM, PROGRAM_OPTIONS } from '../program.js';

/** The command line, as a completion script needs it. All arguments of a command have the same values. */
export type CommandLine = ReturnType<typeof describeCommandLine>;
export type CompletedCommand = CommandLine['commands'][number];
export type CompletedOption = ReturnType<typeof completedOption>;
export type CompletedValue = ReturnType<typeof completedValue>;

/** Describes the command line from the definitions of the commands. */
export function describeCommandLine(commands: readonly CommandDefinition[]) {
  const described = commands.map(({ name, summary, arguments: args, options }) => ({
    name,
    summary,
    options: [...Object.entries(options), HELP_OPTION].map(completedOption),
    argument: Object.entries(args).map(([key, { value }]) => completedValue(key, value ?? { completes: 'files' }))[0],
  }));
  const names = completedValue('command', { completes: 'words', words: [...commands.map(({ name }) => name), 'help'] });
  return {
    program: PROGRAM,
    version: VERSION,
    options: PROGRAM_OPTIONS.map(completedOption),
    commands: [...described, { name: 'help', summary: HELP_OPTION[1].meaning, options: [], argument: names }],
  };
}

/** The flags are the long one and, if there is one, the short one behind it. The value is undefined for a switch. */
function completedOption([key, option]: readonly [string, OptionDefinition]) {
  const { value } = option;
  return {
    flags: flagsOf(key, option).toReversed(),
    description: describeOption(option),
    value: value && completedValue(placeholderOf(option, value), value),
  };
}

/** @param noun the placeholder of the value in the help: `zone` */
function completedValue(noun: string, { completes, words = [], ending }: Pick<ValueKind, 'completes' | 'words' | 'ending'>) {
  return { noun, kind: completes, words, ending: ending ?? '' };
}
