/** How much of a quoted piece of input a message shows, in characters. */
const SHOWN_CHARACTERS = 60;

/** What a terminal might act on, or a reader not see: controls, format characters, surrogates, every space but U+0020. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** The bytes of a byte string that are no ASCII. */
const NOT_ASCII = /[\x80-\xff]/g;

/** Escapes what a terminal might act on (`\n`, `\x1b`, `\u{202e}`): the result is one line, whatever the text. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Quotes text for a message: escaped, and cut to 60 characters. */
export function quoteText(text: string): string {
  return `"${cutText(text, SHOWN_CHARACTERS)}"`;
}

function cutText(text: string, maxCharacters: number): string {
  const shown = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
  return `${escapeText(shown)}${shown.length < text.length ? '…' : ''}`;
}

/** `quoteText` for a byte string (each character one byte): read as UTF-8 where it is that, else its bytes as `\xNN`. */
export function quoteBytes(bytes: string): string {
  return `"${showBytes(bytes, SHOWN_CHARACTERS)}"`;
}

/** Escapes a byte string as `quoteBytes` does, without quotes, and cuts it to so many characters. */
export function showBytes(bytes: string, maxCharacters: number): string {
  const start = Buffer.from(bytes.slice(0, 8 * maxCharacters), 'latin1');
  try {
    // `stream` passes over a sequence that the cut above tore; only bytes that can be no UTF-8 throw.
    return cutText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(start, { stream: true }), maxCharacters);
  } catch {
    return cutText(bytes, maxCharacters).replace(NOT_ASCII, escapeCharacter);
  }
}

/** Escapes a byte string so that it is one line of ASCII: what a terminal might act on, and all bytes from 0x80 on, as `\xNN`. */
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

/** `1 group`, `2 groups`. */
export function countOf(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
