/** A value in a text: a byte string, a whole number from 1 on, or nothing. */
export type Value = string | number | undefined;

/**
 * Two samples to find the places of a value by: an array, or two characters, which are repeated to its length. They differ in every
 * letter and digit, and their first characters are those of no other blank.
 */
export type Blank = ArrayLike<string>;

/** Formats the parts of a text with samples of its values: byte strings. Undefined if values of their lengths have no template. */
type Format = (samples: readonly string[]) => readonly string[] | undefined;

/** Templates that would exceed this in total are dropped; an entry counts for some bytes more than its template. */
const MAX_BYTES = 4 << 20;
const ENTRY_BYTES = 64;

/**
 * Templates of texts that differ in a few values. For each combination of the values' lengths, the text is formatted for two samples of
 * values: it differs exactly where the values stand. A template is patched, which is several times as fast as formatting.
 */
export class ByteTemplates {
  readonly #templates = new Map<number, ByteTemplate | undefined>();
  #bytes = 0;

  /** @param firstCount the index of the first of the values that count up from one part of the text to the next */
  constructor(
    private readonly blanks: readonly Blank[],
    private readonly firstCount = Infinity,
  ) {}

  /** Undefined if texts differ by more. @param lengths tells the lengths of all values @param values in the order of the blanks */
  find(lengths: number, values: readonly Value[], format: Format): ByteTemplate | undefined {
    const known = this.#templates.get(lengths);
    if (known !== undefined || this.#templates.has(lengths)) return known;
    const template = this.#make(values, format);
    this.#bytes += ENTRY_BYTES + (template?.bytes.length ?? 0);
    if (this.#bytes > MAX_BYTES) {
      this.#templates.clear();
      this.#bytes = ENTRY_BYTES + (template?.bytes.length ?? 0);
    }
    this.#templates.set(lengths, template);
    return template;
  }

  #make(values: readonly Value[], format: Format): ByteTemplate | undefined {
    const fill = (sample: 0 | 1): readonly string[] =>
      this.blanks.map((blank, index) => {
        const text = blank[sample] ?? '';
        return text.length === 1 ? text.repeat(String(values[index] ?? '').length) : text;
      });
    const [fills, otherFills] = [fill(0), fill(1)];
    const [parts, otherParts] = [format(fills), format(otherFills)];
    if (parts === undefined || otherParts === undefined) return undefined;
    const slots = values.map((): Slots => ({ offsets: [], steps: [], shown: undefined }));
    let start = 0;
    for (const [step, part] of parts.entries()) {
      const other = otherParts[step] ?? '';
      if (part.length !== other.length) return undefined;
      for (let at = findDifference(part, other, 0); at < part.length;) {
        const here = at;
        const index = fills.findIndex(
          (text, blank) => text !== '' && part.startsWith(text, here) && other.startsWith(otherFills[blank] ?? '', here),
        );
        if (index === -1) return undefined;
        slots[index]?.offsets.push(start + at);
        slots[index]?.steps.push(index >= this.firstCount ? step : 0);
        at = findDifference(part, other, at + (fills[index]?.length ?? 0));
      }
      start += part.length;
    }
    return new ByteTemplate(Buffer.from(parts.join(''), 'latin1'), slots);
  }
}

function findDifference(text: string, other: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

interface Slots {
  readonly offsets: number[];
  /** The amount by which a number exceeds that of the first part at each offset. */
  readonly steps: number[];
  shown: Value;
}

export class ByteTemplate {
  constructor(
    readonly bytes: Buffer,
    readonly slots: readonly Slots[],
  ) {}

  shows(index: number, value: Value): boolean {
    return this.slots[index]?.shown === value;
  }

  /** Renders the text. @returns bytes that are valid until the next call */
  render(values: readonly Value[]): Uint8Array {
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      const slots = this.slots[index];
      if (slots === undefined || slots.shown === value) continue;
      if (typeof value === 'number') patchNumber(this.bytes, slots, value);
      else if (value !== undefined) patchText(this.bytes, slots, value);
      slots.shown = value;
    }
    return this.bytes;
  }
}

/** Replaces the bytes of a text that differ, in all its places. The innermost loop of all writing: `for … of` is slower here. */
function patchText(bytes: Uint8Array, { offsets }: Slots, text: string): void {
  const first = offsets[0] ?? 0;
  const count = offsets.length;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text.charCodeAt(index);
    if (bytes[first + index] === byte) continue;
    for (let slot = 0; slot < count; slot += 1) bytes[(offsets[slot] ?? 0) + index] = byte;
  }
}

const ZERO = 0x30;

function patchNumber(bytes: Uint8Array, { offsets, steps, shown }: Slots, value: number): void {
  const before = typeof shown === 'number' ? shown : 0;
  const last = digitsOf(value) - 1;
  for (let slot = 0; slot < offsets.length; slot += 1) {
    const first = offsets[slot] ?? 0;
    let rest = value + (steps[slot] ?? 0);
    let shownRest = before + (steps[slot] ?? 0);
    for (let at = first + last; at >= first && rest !== shownRest; at -= 1) {
      const tenth = Math.floor(rest / 10);
      bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
      shownRest = Math.floor(shownRest / 10);
    }
  }
}

export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
