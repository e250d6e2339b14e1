import { Command } from 'commander';

/**
 * The options of a command, parsed from a command line.
 *
 * @param add adds the options to a command
 * @param given options as they are typed: `{ onBadRow: 'skip', live: true }` for `--on-bad-row skip --live`
 */
export function parsedOptions<Options>(
  add: (command: Command) => { readonly opts: () => Options },
  given: Readonly<Record<string, string | true | undefined>>,
): Options {
  const args = Object.entries(given).flatMap(([key, value]) => {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === undefined ? [] : value === true ? [flag] : [`${flag}=${value}`];
  });
  const command = new Command().exitOverride();
  const withOptions = add(command);
  command.parse(args, { from: 'user' });
  return withOptions.opts();
}
