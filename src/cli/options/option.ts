import { Option } from 'commander';

/**
 * Makes an option whose value is parsed. Parsers throw CallError, which names the flag.
 *
 * @param flags as help shows them: `-o, --output <file>`
 * @param parse takes the long flag, the text of the value, and what an earlier use of the option has given
 */
export function optionOf<Flags extends string, Value>(
  flags: Flags,
  description: string,
  parse: (flag: string, text: string, before: Value | undefined) => Value,
) {
  const option = new Option(flags, description);
  return option.argParser((text: string, before: Value | undefined) => parse(option.long ?? flags, text, before));
}

/**
 * The options of a command as they are parsed. The type follows from the definition, so that an option renamed in one place does not
 * compile.
 *
 * @typeParam Add The function that adds the options to a command
 */
export type OptionsOf<Add extends (command: never) => { readonly opts: () => unknown }> = Readonly<
  ReturnType<ReturnType<Add>['opts']>
>;
