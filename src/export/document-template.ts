import type { GroupValues, Skeleton } from './document-skeleton.js';

/** The places of a value in the documents of a group. */
interface ValuePlaces {
  /** The length of the value. */
  readonly length: number;
  /** The indexes of its bytes. */
  readonly indexes: number[];
  /** By how much a number is larger at each place than that of the first record. */
  readonly steps: number[];
}

/**
 * The bytes of the documents of a group. The next group whose values have the same lengths differs only at the places of these values:
 * its documents are made by patching.
 */
export class DocumentTemplate {
  readonly #bytes: Buffer;
  readonly #places: Readonly<Record<keyof GroupValues, ValuePlaces>>;
  /** The numbers in the bytes now; 0 while there are none: they count from 1. */
  #firstLine = 0;
  #fileLine = 0;
  #group = 0;

  /** @param values of the lengths that the template is for */
  constructor({ parts, slots }: Skeleton, values: GroupValues) {
    const placesOf = (value: string | number): ValuePlaces => ({ length: String(value).length, indexes: [], steps: [] });
    const { timestamp, instant, path, query, fragment, firstLine, fileLine, group } = values;
    this.#places = {
      timestamp: placesOf(timestamp),
      instant: placesOf(instant),
      path: placesOf(path),
      query: placesOf(query),
      fragment: placesOf(fragment),
      firstLine: placesOf(firstLine),
      fileLine: placesOf(fileLine),
      group: placesOf(group),
    };
    const pieces = parts.flatMap((part, index) => {
      const slot = slots[index];
      return slot === undefined ? [part] : [part, Buffer.alloc(this.#places[slot.name].length)];
    });
    this.#bytes = Buffer.concat(pieces);
    let end = 0;
    for (const [index, { name, record }] of slots.entries()) {
      const { length, indexes, steps } = this.#places[name];
      end += parts[index]?.length ?? 0;
      indexes.push(end);
      steps.push(name === 'group' ? 0 : record);
      end += length;
    }
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /**
   * Renders the documents of a group, one for each record: UTF-8; each ends in LF.
   *
   * @param values of the lengths that the template is for; texts are ASCII
   * @returns bytes that are valid until the next call
   */
  render({ timestamp, instant, path, query, fragment, firstLine, fileLine, group }: GroupValues): Uint8Array {
    const bytes = this.#bytes;
    const places = this.#places;
    patchText(bytes, places.timestamp, timestamp);
    patchText(bytes, places.instant, instant);
    patchText(bytes, places.path, path);
    patchText(bytes, places.query, query);
    patchText(bytes, places.fragment, fragment);
    patchNumbers(bytes, places.firstLine, firstLine, this.#firstLine);
    patchNumbers(bytes, places.fileLine, fileLine, this.#fileLine);
    patchNumbers(bytes, places.group, group, this.#group);
    this.#firstLine = firstLine;
    this.#fileLine = fileLine;
    this.#group = group;
    return bytes;
  }
}

/** Replaces a text at all its places, from the first character to the last that differs. */
function patchText(bytes: Uint8Array, { indexes }: ValuePlaces, text: string): void {
  const [first = 0] = indexes;
  let from = 0;
  while (from < text.length && bytes[first + from] === text.charCodeAt(from)) from += 1;
  if (from === text.length) return;
  let until = text.length;
  while (bytes[first + until - 1] === text.charCodeAt(until - 1)) until -= 1;
  for (const index of indexes) {
    for (let at = from; at < until; at += 1) bytes[index + at] = text.charCodeAt(at);
  }
}

const ZERO = 0x30;

/**
 * Replaces a number at all its places, from its last digit up to where both numbers are the same.
 *
 * @param shown the number of the first record in the bytes now
 */
function patchNumbers(bytes: Uint8Array, { length, indexes, steps }: ValuePlaces, value: number, shown: number): void {
  if (value === shown) return;
  for (let place = 0; place < indexes.length; place += 1) {
    const first = indexes[place] ?? 0;
    const step = steps[place] ?? 0;
    let rest = value + step;
    let shownRest = shown + step;
    for (let at = first + length - 1; at >= first && rest !== shownRest; at -= 1) {
      const tenth = Math.floor(rest / 10);
      bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
      shownRest = Math.floor(shownRest / 10);
    }
  }
}
