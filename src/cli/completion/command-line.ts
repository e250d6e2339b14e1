import type { Values } from './values.js';

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
