import { Option, type Command } from 'commander';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';

/** The forms that a log is turned into. */
const LOG_FORMS = ['requests', 'records', 'ecs', 'otel', 'deployment'] as const;
export type LogForm = (typeof LOG_FORMS)[number];

const FOREIGN_ACTIONS = ['skip', 'stop'] as const;

/** Adds the argument and the options of `parse`. */
export function addParseOptions(command: Command) {
  return command
    .argument('[log]', 'the log; left out or -, standard input')
    .addOption(new Option('--as <form>', 'what to make of the log').choices(LOG_FORMS).default('requests'))
    .addOption(
      new Option('--foreign <action>', 'count lines that are not records of this log, or stop at the first')
        .choices(FOREIGN_ACTIONS)
        .default('skip'),
    )
    .addOption(OUTPUT_OPTION);
}

/** The options as given. */
type RawParseOptions = OptionsOf<typeof addParseOptions>;

/** The options as meant. */
export interface ParseRunOptions {
  readonly form: LogForm;
  /** True if the first line that is not a record of this log ends the run. */
  readonly stopAtForeign: boolean;
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
}

/** Resolves the options of `parse`. @throws CallError that names the option at fault */
export function resolveParse(raw: RawParseOptions): ParseRunOptions {
  return { form: raw.as, stopAtForeign: raw.foreign === 'stop', outputFile: resolveOutputFile(raw.output) };
}
