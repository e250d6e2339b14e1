import type { NameOption } from '../errors.js';

/** The flag of an option by its key: `--install-root` for `installRoot`. */
export function flagOf(key: string): string {
  // A flag is named as it is.
  return key.startsWith('-') ? key : `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Names an option as it is typed: `--order sort`. Only the command knows flags; errors carry keys. */
export const nameFlag: NameOption = (key, value) => (value === undefined ? flagOf(key) : `${flagOf(key)} ${value}`);
