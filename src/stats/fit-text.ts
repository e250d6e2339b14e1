import { glyphsOf, type Charset } from './style.js';

/** Cuts a text at its end to a width. */
export function fit(text: string, columns: number, charset: Charset): string {
  const { cut } = glyphsOf(charset);
  const characters = Array.from(text);
  if (countWithin(characters, columns) === characters.length) return text;
  return characters.slice(0, countWithin(characters, columns - cut.length)).join('') + cut;
}

/** Breaks a text at spaces into lines of a width; the last of them is cut at its end. */
export function wrap(text: string, columns: number, maxLines: number, charset: Charset): readonly string[] {
  const characters = Array.from(text);
  const fitting = countWithin(characters, columns);
  if (maxLines === 1 || fitting === characters.length) return [fit(text, columns, charset)];
  const space = characters.lastIndexOf(' ', fitting);
  const end = space > 0 ? space : fitting;
  const rest = characters.slice(end).join('').trimStart();
  return [characters.slice(0, end).join(''), ...wrap(rest, columns, maxLines - 1, charset)];
}

/** Cuts a text in its middle to a width: names may differ only at their ends. */
export function fitMiddle(text: string, columns: number, charset: Charset): string {
  const { cut } = glyphsOf(charset);
  const characters = Array.from(text);
  if (countWithin(characters, columns) === characters.length) return text;
  const tailColumns = Math.floor((columns - cut.length) / 2);
  const head = characters.slice(0, countWithin(characters, columns - cut.length - tailColumns));
  const tail = characters.slice(characters.length - countWithin(characters.toReversed(), tailColumns));
  return head.join('') + cut + tail.join('');
}

/** The number of first characters that fit into a width. Every character outside ASCII counts as two columns wide. */
function countWithin(characters: readonly string[], columns: number): number {
  let taken = 0;
  const tooMuch = characters.findIndex((character) => {
    taken += character <= '~' ? 1 : 2;
    return taken > columns;
  });
  return tooMuch === -1 ? characters.length : tooMuch;
}
