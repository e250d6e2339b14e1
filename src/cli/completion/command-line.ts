import type { CommandUnknownOpts } from 'commander';
import { CANARY_KINDS } from '../../canary/findings.js';
import { RULE_NAMES } from '../../check/rules.js';
import { FIELD_NAMES } from '../../compare/fields.js';
import { FINDING_KINDS } from '../../compare/findings.js';
import { RATE_NAMES } from '../../faults/rates.js';

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
  /** `words`: one of the words. `list`: some of them, separated by commas. `free`: nothing to choose from, such as a number or a time. */
  readonly kind: 'free' | 'files' | 'folders' | 'zones' | 'words' | 'list';
  /** The words of `words` and `list`: letters, digits, `_` and `-`. */
  readonly words: readonly string[];
  /** The character behind a word of a list, if each word has a text of its own: `late:0.1`. */
  readonly ending: '' | ':' | '=';
}

/** The kinds of values by the placeholders of options (`zone` of `--timezone <zone>`) and arguments (`log` of `[log...]`). */
const KINDS = new Map<string, CompletedValue['kind']>([
  ...['requests', 'log', 'expected', 'received', 'file', 'file.json'].map((noun) => [noun, 'files'] as const),
  ['folder', 'folders'],
  ['zone', 'zones'],
]);

/** The words and endings of lists by placeholders. */
const LISTS = new Map<string, Pick<CompletedValue, 'words' | 'ending'>>([
  ['rules', { words: RULE_NAMES, ending: '' }],
  ['kinds', { words: FINDING_KINDS, ending: '' }],
  ['findings', { words: CANARY_KINDS, ending: '' }],
  ['kind:rate,…', { words: RATE_NAMES, ending: ':' }],
  ['name=path,…', { words: FIELD_NAMES, ending: '=' }],
]);

/** Describes the command line from the definitions that commander parses with and shows help from. */
export function describeCommandLine(program: CommandUnknownOpts): CommandLine {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  return {
    program: program.name(),
    version: program.version() ?? '',
    options: optionsOf(program),
    commands: commands.map((command) => ({
      name: command.name(),
      summary: command.summary() || command.description(),
      options: optionsOf(command),
      argument: command.registeredArguments.map((argument) => {
        const noun = argument.name();
        // `help [command]` is made by commander, without choices.
        return valueOf(noun, noun === 'command' ? names : argument.argChoices);
      })[0],
    })),
  };
}

function optionsOf(command: CommandUnknownOpts): readonly CompletedOption[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, flags, description, argChoices }) => {
      const [, noun] = /[<[](.+)[>\]]$/.exec(flags) ?? [];
      const value = noun === undefined ? undefined : valueOf(noun, argChoices);
      return { flags: [long, short].filter((flag) => flag !== undefined), description, value };
    });
}

/** @param choices the only values that the definition allows; undefined if it names none */
function valueOf(noun: string, choices: readonly string[] | undefined): CompletedValue {
  if (choices !== undefined) return { noun, kind: 'words', words: choices, ending: '' };
  const list = LISTS.get(noun);
  return list === undefined ? { noun, kind: KINDS.get(noun) ?? 'free', words: [], ending: '' } : { noun, kind: 'list', ...list };
}

/** The time zones that Node knows, by their primary names. */
export function zoneNames(): readonly string[] {
  // UTC is not in the list of Node 20.
  return Array.from(new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])).sort();
}
