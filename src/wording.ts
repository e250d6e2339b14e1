const SHOWN_CHARACTERS = 60;

/** Characters that a terminal may interpret or a reader cannot see, invisible letters (U+3164 HANGUL FILLER) included. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu;

const NOT_ASCII = /[\x80-\xff]/g;

/** Escapes characters that a terminal may act on (`\n`, `\x1b`, `\u{202e}`). The result is one line, without an LF. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Quotes text for a message: escaped, and cut. */
export function quoteText(text: string): string {
  return `"${cutText(text, SHOWN_CHARACTERS)}"`;
}

export function cutText(text: string, maxCharacters: number): string {
  const shown = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
  return `${escapeText(shown)}${shown.length < text.length ? '…' : ''}`;
}

/** Quotes a byte string as `quoteText` quotes text: UTF-8 is decoded; otherwise each byte from 0x80 on is shown as `\xNN`. */
export function quoteBytes(bytes: string): string {
  return `"${showBytes(bytes, SHOWN_CHARACTERS)}"`;
}

export function showBytes(bytes: string, maxCharacters: number): string {
  const start = Buffer.from(bytes.slice(0, 8 * maxCharacters), 'latin1');
  try {
    // With `stream`, a sequence cut off by the slice above is not an error; other invalid bytes are.
    const stream = start.length < bytes.length;
    return cutText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(start, { stream }), maxCharacters);
  } catch {
    return cutText(bytes, maxCharacters).replace(NOT_ASCII, escapeCharacter);
  }
}

/** Escapes a byte string to one line of ASCII: all bytes from 0x80 on, and characters that a terminal may act on, become `\xNN`. */
export function escapeBytes(bytes: string): string {
  return escapeText(bytes).replace(NOT_ASCII, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Formats a count: `1 group`, `2 groups`. @param noun in the singular, with a plural in -s */
export function countOf(count: number, noun: string, format: (count: number) => string = String): string {
  return `${format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a count as `1,234,567`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Formats a duration as `3 days 4 h 5 min 6 s`; units that are zero are left out. */
export function formatDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const parts: readonly (readonly [number, string])[] = [
    [days, days === 1 ? 'day' : 'days'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${formatCount(amount)} ${unit}`);
  return shown.length === 0 ? '0 s' : shown.join(' ');
}

/** A table of kinds (rules, findings, faults, forms, …), keyed by name, in the order in which helps, pages and messages list them. */
export type Kinds = Readonly<Record<string, Kind>>;

interface Kind {
  /** The meaning in a few words of Markdown, as help and pages show it; without a period at its end. */
  readonly meaning: string;
  readonly section?: string;
  /** The text of its page besides the meaning, in Markdown. */
  readonly detail?: string;
}

/** The names of a table of kinds, in its order. */
export function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  const isName = (name: string): name is Name => Object.hasOwn(table, name);
  return Object.keys(table).filter(isName);
}
