import { ENVELOPE_CHOICES, ENVELOPES } from '../../envelope/envelopes.js';
import { refuseOption, refuseUse } from '../../errors.js';
import { namesOf, type Kinds } from '../../wording.js';
import type { Choice, TextValue } from './option.js';
import { findNumber, findWholeNumber, parseCount, parseDuration, parsePositive, parseSeed, parseSize } from './quantities.js';

/** The name that stands for standard output. */
export const STDOUT = '-';

/** Text that its command reads. */
export const TEXT: TextValue<string> = { placeholder: 'text', completes: 'free', parse: (_key, text) => text };

export const FOLDER: TextValue<string> = { ...TEXT, placeholder: 'folder', completes: 'folders' };

/** The name of a time zone. */
export const ZONE: TextValue<string> = { ...TEXT, placeholder: 'zone', completes: 'zones' };

/** The name of a file, or `-`. */
export const FILE: TextValue<string> = {
  placeholder: 'file',
  completes: 'files',
  parse(key, name) {
    // A shell variable that is not set leaves the name empty.
    if (name === '') throw refuseUse(key, 'the file name is empty', 'name a file, or leave it out');
    return name;
  },
};

/** A number above 0. */
export const NUMBER: TextValue<number> = { placeholder: 'number', completes: 'free', parse: parsePositive };

/** Milliseconds. */
export const DURATION: TextValue<number> = { placeholder: 'duration', completes: 'free', parse: parseDuration };

/** Bytes. */
export const SIZE: TextValue<number> = { placeholder: 'size', completes: 'free', parse: parseSize };

export const SEED: TextValue<number> = { placeholder: 'integer', completes: 'free', parse: parseSeed };

/** A number of times from 1 on, or `forever`. */
export const TIMES: TextValue<number> = {
  placeholder: 'n',
  completes: 'free',
  parse: (key, text) => parseCount(key, text, 1),
};

/** A number of lines, from 0 on. */
export const LINES: TextValue<number> = {
  placeholder: 'n',
  completes: 'free',
  parse(key, text) {
    const lines = findWholeNumber(text);
    if (lines !== undefined) return lines;
    throw refuseOption(key, text, 'is not a number of lines', 'give a whole number from 0 on');
  },
};

/** A share, from 0 to 1. */
export const SHARE: TextValue<number> = {
  placeholder: 'share',
  completes: 'free',
  parse(key, text) {
    const share = findNumber(text);
    if (share !== undefined && share <= 1) return share;
    throw refuseOption(key, text, 'is not a share from 0 to 1', 'give one such as 0.1');
  },
};

/** One of some words. */
export function oneOf<const Name extends string>(placeholder: string, words: readonly Name[]): Choice<Name> {
  return { placeholder, completes: 'words', words };
}

/** One of the kinds of a table. */
export function kindOf<Name extends string>(placeholder: string, kinds: Readonly<Record<Name, Kinds[string]>>): Choice<Name> {
  return { ...oneOf(placeholder, namesOf(kinds)), kinds };
}

/** What containers or syslog put around a record, or `none`. */
export const ENVELOPE_NAME = { ...kindOf('envelope', ENVELOPES), words: ENVELOPE_CHOICES };

/**
 * Kinds of a table, separated by commas; the option may be given several times.
 *
 * @param noun the name of a kind, for messages: `rule`
 */
export function listOf<Name extends string>(
  placeholder: string,
  noun: string,
  kinds: Readonly<Record<Name, Kinds[string]>>,
): TextValue<ReadonlySet<Name>> {
  const words = namesOf(kinds);
  return {
    placeholder,
    completes: 'list',
    words,
    kinds,
    parse(key, list, before) {
      const named = list.split(',').map((text) => {
        const name = text.trim();
        const kind = words.find((known) => known === name);
        if (kind !== undefined) return kind;
        throw refuseOption(key, name, `is not a ${noun}`, `the ${noun}s are ${words.join(', ')}`);
      });
      return new Set([...(before ?? []), ...named]);
    },
  };
}
