import { Option, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';

/** The name that stands for standard output. */
export const STDOUT = '-';

/** The file to append to; left out or `STDOUT`, standard output. */
export const OUTPUT_OPTION = new Option('-o, --output <file>', 'append to a file instead of writing to stdout').argParser(
  fileNameParser('--output'),
);

export const QUIET_OPTION = new Option('--quiet', 'show no progress on a terminal');

/**
 * Adds the options that all commands share which read logs. Generic, so that earlier options of the command keep their types. Their
 * inputs are opened by `openLogs`.
 */
export function addLogOptions<Arguments extends unknown[], Options extends OptionValues>(command: Command<Arguments, Options>) {
  return command.addOption(OUTPUT_OPTION).addOption(QUIET_OPTION);
}

/** Makes the parser of an option that names a file. It throws CallError for an empty name. */
export function fileNameParser(flag: string): (name: string) => string {
  return (name) => {
    // A shell variable that is not set leaves the name empty.
    if (name === '') throw new CallError({ source: flag }, 'it is empty', 'name a file, or leave it out');
    return name;
  };
}

/**
 * The options of a command as they are parsed. The type follows from the definition, so that an option renamed in one place does not
 * compile.
 *
 * @typeParam Add the function that adds the options to a command
 */
export type OptionsOf<Add extends (command: never) => { readonly opts: () => unknown }> = Readonly<
  ReturnType<ReturnType<Add>['opts']>
>;
