import { refuseOption } from '../../errors.js';
import type { Kinds } from '../../wording.js';
import { optionOf } from './option.js';
import { findWholeNumber } from './quantities.js';

/** The options of a report of findings. */
export interface FindingOptions<Kind extends string> {
  /** The kinds of findings that are accepted. */
  readonly allow?: ReadonlySet<Kind> | undefined;
  /** The most findings that are written (by `canary`, in a minute); all are counted. */
  readonly max: number;
  readonly json?: true | undefined;
}

/** Lists kinds of findings and what they mean, as help shows them: a line each. */
export function formatKinds(kinds: Kinds): string {
  const width = Math.max(...Object.keys(kinds).map((kind) => kind.length)) + 1;
  return Object.entries(kinds)
    .map(([kind, { meaning }]) => `  ${kind.padEnd(width)} ${meaning}`)
    .join('\n');
}

/**
 * Makes the option `--allow`, which may be given several times: names of kinds of findings, separated by commas.
 *
 * @param what what is accepted, as help says it: `violations of these rules`
 * @param kinds all kinds
 * @param noun the name of a kind: `rule`
 */
export function allowOption<Flags extends string, Kind extends string>(
  flags: Flags,
  what: string,
  kinds: readonly Kind[],
  noun: string,
) {
  return optionOf(flags, `accept ${what}, separated by commas; may be repeated`, parse);

  function parse(flag: string, list: string, before?: ReadonlySet<Kind>): ReadonlySet<Kind> {
    const named = list.split(',').map((text) => {
      const name = text.trim();
      const kind = kinds.find((known) => known === name);
      if (kind !== undefined) return kind;
      throw refuseOption(flag, name, `is not a ${noun}`, `the ${noun}s are ${kinds.join(', ')}`);
    });
    return new Set([...(before ?? []), ...named]);
  }
}

/** Makes the option `--max`. @param what the findings, as help says it: `violations; all are counted` */
export function maxOption(what: string) {
  return optionOf('--max <n>', `write at most this many ${what}`, parseMax).default(100);
}

function parseMax(flag: string, text: string): number {
  const max = findWholeNumber(text);
  if (max !== undefined) return max;
  throw refuseOption(flag, text, 'is not a number of lines', 'give a whole number from 0 on');
}
