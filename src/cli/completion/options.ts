import { Argument, type Command } from 'commander';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import type { OptionsOf } from '../options/options-of.js';

/** The shells for which there is a completion script. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Adds the argument and the options of `completion`. */
export function addCompletionOptions(command: Command) {
  return command.addArgument(new Argument('<shell>', 'the shell to complete in').choices(SHELLS)).addOption(OUTPUT_OPTION);
}

/** The options as given. */
type RawCompletionOptions = OptionsOf<typeof addCompletionOptions>;

/** The options as meant. */
export interface CompletionRunOptions {
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
}

/** Resolves the options of `completion`. @throws CallError that names the option at fault */
export function resolveCompletion(raw: RawCompletionOptions): CompletionRunOptions {
  return { outputFile: resolveOutputFile(raw.output) };
}
