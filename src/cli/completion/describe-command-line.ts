import type { Argument, CommandUnknownOpts, Option } from 'commander';
import type { CommandLine, CompletedCommand, CompletedOption, CompletedValue } from './command-line.js';
import { valuesOf } from './values.js';

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
