/** A kind of value: its text in help, what a shell completes, and how it is read. */
export interface ValueKind {
  readonly placeholder: string;
  /** `words`: one of the words. `list`: some of them, separated by commas. `free`: nothing to choose from, such as a number or a time. */
  readonly completes: 'free' | 'files' | 'folders' | 'zones' | 'words' | 'list';
  /** The words of `words` and `list`: letters, digits, `_` and `-`. */
  readonly words?: readonly string[];
  /** The character behind a word of a list, if each word has a text of its own: `late:0.1`. */
  readonly ending?: string;
  /** The table that the words, or the keys of the file, are the names of. */
  readonly kinds?: Readonly<Record<string, object>>;
  /** Left out for `words`. @param before what an earlier use of the option has given @throws CallError that names the option by its key */
  parse?(key: string, text: string, before?: unknown): unknown;
}

/** An option. Its key is its name in camelCase: `rotateEvery` for `--rotate-every`. */
export interface OptionDefinition {
  readonly short?: string;
  /** Left out for a switch. */
  readonly value?: ValueKind;
  /** A few words, without a period at the end. */
  readonly meaning: string;
  /** The value where the option is not given. */
  readonly default?: string | number | readonly string[];
  /** The words of help for what happens where the option is not given. */
  readonly otherwise?: string;
  /** The text of its page besides the meaning, in Markdown. */
  readonly detail?: string;
  /** The page about the option, and the heading, from `docs/` on: `operation.md#rotation`. */
  readonly page?: string;
}

export type Options = Readonly<Record<string, OptionDefinition>>;

type ValueOf<Kind> = Kind extends { parse(key: string, text: string): infer Value }
  ? Value
  : Kind extends { readonly words: readonly (infer Name)[] }
    ? Name
    : never;

/** The values of options as they are given: an option without a default may be missing. */
export type Given<Table> = {
  readonly [Key in keyof Table]:
    | (Table[Key] extends { readonly value: infer Kind } ? ValueOf<Kind> : true)
    | (Table[Key] extends { readonly default: unknown } ? never : undefined);
};

export function firstGiven<Key extends string>(
  options: Readonly<Partial<Record<Key, unknown>>>,
  ...keys: readonly Key[]
): Key | undefined {
  return keys.find((key) => options[key] !== undefined);
}

/** An argument of a command. Its key is its placeholder. */
interface ArgumentDefinition {
  readonly meaning: string;
  readonly required?: true;
  readonly repeated?: true;
  /** Left out for a file. */
  readonly value?: ValueKind;
}

export type Arguments = Readonly<Record<string, ArgumentDefinition>>;

type GivenArguments<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends { readonly repeated: true }
    ? readonly string[]
    : Table[Key] extends { readonly value: infer Kind }
      ? ValueOf<Kind>
      : string;
};

export const CALL_AT_FAULT = { 2: 'the call or the environment is at fault' } as const;

/** The exit codes of every command that ends by itself, besides those of its own. */
export const ENDED = { ...CALL_AT_FAULT, '128 + n': 'ended by signal n' } as const;

/** A command, as help, man page, completions and pages show it; its `run.ts` runs it. */
export interface CommandDefinition {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly arguments: Arguments;
  readonly options: Options;
  /** The help behind the options: lines of at most 80 columns. */
  readonly help: string;
  readonly examples: readonly string[];
  readonly exit: Readonly<Record<string, string>>;
  /** Tables of kinds that pages show besides those of options, by what each is a table of. */
  readonly kinds?: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** The run of a command, with what its definition has parsed. @param all loads the definitions of all commands */
export type RunOf<Definition extends { readonly arguments: Arguments; readonly options: Options }> = (
  args: GivenArguments<Definition['arguments']>,
  options: Given<Definition['options']>,
  all: () => Promise<readonly CommandDefinition[]>,
) => Promise<void>;
