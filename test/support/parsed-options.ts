import { Command } from 'commander';
import { CallError } from '../../src/errors.js';
import { flagOf, nameFlag } from '../../src/cli/messages.js';
import type { Given, Options } from '../../src/cli/options/option.js';
import { buildOption } from '../../src/cli/program.js';

/** Options as they are typed, by their keys: `{ onBadRow: 'skip', live: true }` for `--on-bad-row skip --live`. */
export type Typed = Readonly<Record<string, string | true | undefined>>;

export function parsedOptions<Table extends Options>(table: Table, typed: Typed): Given<Table> {
  const args = Object.entries(typed).flatMap(([key, value]) => {
    return value === undefined ? [] : [value === true ? flagOf(key) : `${flagOf(key)}=${value}`];
  });
  const command = new Command().exitOverride();
  for (const [key, option] of Object.entries(table)) command.addOption(buildOption(key, option));
  const options = command.parse(args, { from: 'user' }).opts();
  const isGiven = (values: object): values is Given<Table> => Object.keys(values).every((key) => Object.hasOwn(table, key));
  if (!isGiven(options)) throw new Error('other options');
  return options;
}

/** The message of the command for a call that is refused; undefined if it is not. */
export function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return error.messageWith(nameFlag);
  }
}
