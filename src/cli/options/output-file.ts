import { Option, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';
import { optionOf } from './option.js';

/** The name that stands for standard output. */
export const STDOUT = '-';

/** The file to append to; left out or `STDOUT`, standard output. */
export const OUTPUT_OPTION = optionOf('-o, --output <file>', 'append to a file instead of writing to stdout', parseFileName);

export const QUIET_OPTION = new Option('--quiet', 'show no progress on a terminal');

/**
 * Adds the argument and the options that all commands share which read a log or several as one. Generic, so that earlier options of the
 * command keep their types. The logs are opened by `openLogs`.
 */
export function addLogOptions<Options extends OptionValues>(command: Command<[], Options>) {
  return command
    .argument('[log...]', 'the log, or several that are read as one; standard input if omitted or -')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
}

/** Reads the name of a file. @throws CallError for an empty name */
export function parseFileName(flag: string, name: string): string {
  // A shell variable that is not set leaves the name empty.
  if (name === '') throw new CallError({ source: flag }, 'the file name is empty', 'name a file, or leave it out');
  return name;
}
