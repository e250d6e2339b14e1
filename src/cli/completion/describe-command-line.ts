import type { Argument, CommandUnknownOpts, Option } from 'commander';
import { valuesOf, type Values } from './values.js';

/** The command line, as a completion script needs it. */
export interface CommandLine {
  /** The name of the program: letters, digits and hyphens. */
  readonly program: string;
  readonly version: string;
  /** The options of the program itself, before a command. None takes a value. */
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

export interface CompletedCommand {
  readonly name: string;
  /** The line about the command in the list of commands. */
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Its arguments: those of one command all have the same values. Undefined if it takes none. */
  readonly argument: CompletedValue | undefined;
}

export interface CompletedOption {
  /** The long flag and, if there is one, the short one behind it: `--output`, `-o`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined if the option takes no value. */
  readonly value: CompletedValue | undefined;
}

/** The value of an option or an argument. */
export interface CompletedValue {
  /** The placeholder of the value in the help: `zone`. */
  readonly noun: string;
  readonly values: Values;
}

/** Describes the command line from the definitions that commander parses with and shows help from. */
export function describeCommandLine(program: CommandUnknownOpts): CommandLine {
  const commands = program.createHelp().visibleCommands(program);
  return {
    program: program.name(),
    version: program.version() ?? '',
    options: optionsOf(program),
    commands: commands.map((command) => describeCommand(command, commands)),
  };
}

function describeCommand(command: CommandUnknownOpts, commands: readonly CommandUnknownOpts[]): CompletedCommand {
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    options: optionsOf(command),
    argument: command.registeredArguments.map((argument) => describeArgument(argument, commands))[0],
  };
}

function describeArgument(argument: Argument, commands: readonly CommandUnknownOpts[]): CompletedValue {
  const noun = argument.name();
  // `help [command]` is made by commander, without choices.
  const choices = noun === 'command' ? commands.map((command) => command.name()) : argument.argChoices;
  return { noun, values: valuesOf(noun, choices) };
}

function optionsOf(command: CommandUnknownOpts): readonly CompletedOption[] {
  return command.createHelp().visibleOptions(command).map(describeOption);
}

function describeOption({ long, short, flags, description, argChoices }: Option): CompletedOption {
  const [, noun] = /[<[](.+)[>\]]$/.exec(flags) ?? [];
  return {
    flags: [long, short].filter((flag) => flag !== undefined),
    description,
    value: noun === undefined ? undefined : { noun, values: valuesOf(noun, argChoices) },
  };
}
