import { Option, type Command } from 'commander';
import { refuseOption } from '../../errors.js';
import { DOCUMENT_FORMS, LOG_FORMS, type LogForm } from '../../export/forms.js';
import { FOREIGN_ACTIONS, type ForeignAction } from '../../reading/foreign-actions.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';

/** The forms in which a foreign line can stand. */
const FORMS_OF_OBJECTS: ReadonlySet<LogForm> = new Set(DOCUMENT_FORMS);
const ANY_DOCUMENT_FORM = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(DOCUMENT_FORMS);

/** Adds the argument and the options of `parse`. */
export function addParseOptions(command: Command) {
  return command
    .argument('[log...]', 'the log, or several that are read as one; left out or -, standard input')
    .addOption(new Option('--as <form>', 'what to make of the log').choices(LOG_FORMS).default('requests'))
    .addOption(
      new Option(
        '--foreign <action>',
        'lines that are not records of this log: count them, stop at the first, or write them as objects',
      )
        .choices(FOREIGN_ACTIONS)
        .default('skip'),
    )
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
}

/** The options as given. */
type RawParseOptions = OptionsOf<typeof addParseOptions>;

/** The options as meant. */
export interface ParseRunOptions {
  readonly form: LogForm;
  readonly foreign: ForeignAction;
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `parse`. @throws CallError that names the option at fault */
export function resolveParse(raw: RawParseOptions): ParseRunOptions {
  const { as: form, foreign } = raw;
  if (foreign === 'emit' && !FORMS_OF_OBJECTS.has(form)) {
    throw refuseOption('--foreign', foreign, `has no place in ${form}`, `give --as ${ANY_DOCUMENT_FORM} with it`);
  }
  return { form, foreign, outputFile: resolveOutputFile(raw.output), quiet: raw.quiet === true };
}
