/**
 * The options of a command as given: what commander reads from the arguments, before `resolve…` checks them. The type follows from the
 * definition, so that an option renamed in one place does not compile.
 *
 * @typeParam Add the function that adds the options to a command
 */
export type OptionsOf<Add extends (command: never) => { readonly opts: () => unknown }> = Readonly<
  ReturnType<ReturnType<Add>['opts']>
>;
