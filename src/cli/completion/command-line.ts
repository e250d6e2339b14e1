import type { CommandDefinition, OptionDefinition, ValueKind } from '../options/option.js';
import { describeOption, flagsOf, placeholderOf, PROGRAM, PROGRAM_OPTIONS, HELP_OPTION } from '../program.js';
import { VERSION } from '../../export/version.js';

/** The command line, as a completion script needs it. */
export interface CommandLine {
  /** The name of the program: letters, digits and hyphens. */
  readonly program: string;
  readonly version: string;
  /** The options of the program itself, before a command. None takes a value. */
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

/** A command, as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  /** The line about the command in the list of commands. */
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Its arguments: those of one command all have the same values. Undefined if it takes none. */
  readonly argument: CompletedValue | undefined;
}

/** An option, as a shell completes it. */
export interface CompletedOption {
  /** The long flag and, if there is one, the short one behind it: `--output`, `-o`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined if the option takes no value. */
  readonly value: CompletedValue | undefined;
}

/** The values of an option or an argument, as far as a shell can complete them. */
export interface CompletedValue {
  /** The placeholder of the value in the help: `zone`. */
  readonly noun: string;
  readonly kind: ValueKind['completes'];
  /** The words of `words` and `list`: letters, digits, `_` and `-`. */
  readonly words: readonly string[];
  /** The character behind a word of a list, if each word has a text of its own: `late:0.1`. */
  readonly ending: '' | ':' | '=';
}

/** Describes the command line from the definitions of the commands. */
export function describeCommandLine(commands: readonly CommandDefinition[]): CommandLine {
  const described = commands.map(({ name, summary, arguments: args, options }) => ({
    name,
    summary,
    options: [...Object.entries(options), HELP_OPTION].map(completedOption),
    argument: Object.entries(args).map(([key, { value }]) => completedValue(key, value ?? FILES))[0],
  }));
  const words = [...commands.map(({ name }) => name), 'help'];
  const help = { name: 'help', summary: HELP_OPTION[1].meaning, options: [] };
  return {
    program: PROGRAM,
    version: VERSION,
    options: PROGRAM_OPTIONS.map(completedOption),
    commands: [...described, { ...help, argument: { noun: 'command', kind: 'words', words, ending: '' } }],
  };
}

/** The value of an argument that is a file. */
const FILES = { completes: 'files' } as const;

function completedOption([key, option]: readonly [string, OptionDefinition]): CompletedOption {
  const { value } = option;
  return {
    flags: flagsOf(key, option).toReversed(),
    description: describeOption(option),
    value: value && completedValue(placeholderOf(option, value), value),
  };
}

function completedValue(noun: string, value: Pick<ValueKind, 'completes' | 'words' | 'ending'>): CompletedValue {
  return { noun, kind: value.completes, words: value.words ?? [], ending: value.ending ?? '' };
}

/** The time zones that Node knows, by their primary names. */
export function zoneNames(): readonly string[] {
  // UTC is not in the list of Node 20.
  return Array.from(new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])).sort();
}
