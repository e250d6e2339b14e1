/** A value of an object: JSON, or the function that formats it of what is shown; undefined where the object has no such value. */
export type JsonValue<Shown> = string | ((shown: Shown) => string | undefined);

/**
 * Formats objects in objects from values at paths of keys with dots between them. The text between two values is made once for each two
 * paths.
 */
export class NestedJson<Shown> {
  readonly #values: readonly JsonValue<Shown>[];
  /** The text before each value, by the number of the value before it (0: none), and by its own index. */
  readonly #texts: readonly (readonly string[])[];
  /** The text behind each value if it is the last one. */
  readonly #ends: readonly string[];

  /** @param entries in their order in the text; those that share keys stand together */
  constructor(entries: readonly (readonly [path: string, value: JsonValue<Shown>])[]) {
    const paths = entries.map(([path]) => path.split('.'));
    this.#values = entries.map(([, value]) => value);
    this.#texts = [[], ...paths].map((before) => paths.map((keys) => textBetween(before, keys)));
    this.#ends = ['{}', ...paths.map((keys) => '}'.repeat(keys.length))];
  }

  /** Formats the object. */
  format(shown: Shown): string {
    const values = this.#values;
    let json = '';
    let before = 0;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      const text = typeof value === 'function' ? value(shown) : value;
      if (text === undefined) continue;
      json += (this.#texts[before]?.[index] ?? '') + text;
      before = index + 1;
    }
    return json + (this.#ends[before] ?? '');
  }
}

/** The text from behind the value at some keys (none: from the beginning) up to the value at other keys. */
function textBetween(before: readonly string[], keys: readonly string[]): string {
  let common = 0;
  while (common < before.length - 1 && before[common] === keys[common]) common += 1;
  const opened = keys.slice(common).map((key, index) => `${index === 0 ? '' : '{'}"${key}":`);
  return (before.length === 0 ? '{' : `${'}'.repeat(before.length - 1 - common)},`) + opened.join('');
}
