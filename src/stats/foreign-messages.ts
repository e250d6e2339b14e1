import { TIMESTAMP_END } from '../log/record.js';
import { BoundedCounts } from './bounded-counts.js';

/** Counts the foreign messages of a log. A message begins at a line with `[`; foreign lines without one, directly below it, belong to it. */
export class ForeignMessages {
  /** By what occurrences of a message have in common. */
  readonly counts = new BoundedCounts();
  /** The last line of the last message, if that began with `[`. */
  #lastLine: number | undefined;

  /** Takes the next foreign line. @param text a byte string */
  add(line: number, text: string): void {
    const begins = text.startsWith('[');
    const belongs = !begins && this.#lastLine === line - 1;
    if (!belongs) this.counts.add(messagePatternOf(text));
    this.#lastLine = begins || belongs ? line : undefined;
  }
}

/** The part of a message that is compared, in bytes. */
const COMPARED_BYTES = 1024;

/** A stamp (`[<timestamp> <offset or zone>]`, a colon behind an offset), and the session's id in angle brackets. */
const BEFORE_MESSAGE = /^\[[^\]]*\]:? (?:<[0-9a-z]+> )?/;

/** The request descriptor that ends a message of the webmail, before a CR if there is one; its end may have been cut off. */
const DESCRIPTOR = / \([A-Z]+ \S+\r?$/;

/** The user, the host, the client and its forwarded addresses, which hold whatever a client sends. */
const LOGIN = /Login failed for .*? against \S+ from (?:\S+ \(.*\)|\S+)\. /;

/** Parts that differ from one occurrence of a message to the next; each is replaced by `*`, or by what stands beside it. */
const VARYING: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Quoted values; an apostrophe within a word begins none.
  [/(?<!\w)'[^']*'/g, "'*'"],
  [/"[^"]*"/g, '"*"'],
  // Folders of a path: its last part tells the file.
  [/(?:\/[^\s/:()'"]+)+\/(?=[^\s/:()'"])/g, ''],
  // Addresses: mail, IPv4 and IPv6, with their ports. A search for mail begins only where a word does: else it takes quadratic time.
  [/(?<![^\s<>(),;:'"])[^\s<>(),;:'"@]+@[^\s<>(),;:'"]+/g, '*'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '*'],
  [/(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])\]?(?::\d+)?/gi, '*'],
  // Hexadecimal names, and all other digits.
  [/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '*'],
  [/\d+/g, '*'],
  [/\*(?:[.:,-]?\*)+/g, '*'],
];

/**
 * The text that occurrences of a message have in common: without stamp, session, request and the folders of paths, with `*` for digits,
 * addresses, the user of a failed login and quoted values.
 *
 * @param line a line that is not a record of the log: a byte string
 */
export function messagePatternOf(line: string): string {
  const compared = line.slice(0, COMPARED_BYTES);
  const message = compared[TIMESTAMP_END] === ' ' ? compared.replace(BEFORE_MESSAGE, '') : compared;
  const common = message.replace(DESCRIPTOR, '').replace(LOGIN, 'Login failed for * against * from *. ');
  return VARYING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), common).trim();
}
