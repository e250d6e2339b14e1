import { encodeText } from '../log/byte-string.js';
import { formatRecord } from '../log/line.js';
import { recordsOf, type WholeGroup } from '../reading/whole-group.js';
import type { DocumentForm } from './document-form.js';

/** A request target in origin-form that JSON holds unchanged. */
export interface PlainTarget {
  /** Without its first slash. */
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

/** The values that differ between the groups of a deployment that have the same method, UTC offset and file. */
export interface GroupValues extends PlainTarget {
  readonly timestamp: string;
  /** The text by which a document shows the Unix second. */
  readonly instant: string;
  /** The line of the first record, counted over all files. The other records are on the lines behind. */
  readonly firstLine: number;
  /** The same line, counted in its own file. */
  readonly fileLine: number;
  /** The number of the group. */
  readonly group: number;
}

/** Bounds the memory of templates: a log can show 500 plugins with paths of 4 KiB. Larger groups have no template. */
const MAX_TEMPLATE_BYTES = 1 << 20;

/** The values in two samples, each filled with its character of these: no two values have the same pair. */
const SAMPLED_NAMES = ['timestamp', 'path', 'query', 'fragment', 'firstLine', 'fileLine', 'group'] as const;
const SAMPLE_CHARACTERS = ['TPQF357', 'tpqf468'] as const;
type SampledName = (typeof SAMPLED_NAMES)[number];

/**
 * Makes the template for the groups whose values have the lengths of these. The documents are formatted for two samples of the values:
 * where their texts differ, a value stands. So `form` alone says what a document holds.
 *
 * @param source the name of the file as a JSON string; undefined where the log is a single file
 * @returns undefined if documents differ by more than the values (a line that is not UTF-8 also stands there in base64), or are too large
 */
export function makeTemplate(
  form: DocumentForm,
  group: WholeGroup,
  values: GroupValues,
  source: string | undefined,
): DocumentTemplate | undefined {
  const documents = formatSample(form, group, values, source, 0);
  const otherDocuments = formatSample(form, group, values, source, 1);
  const markers = SAMPLED_NAMES.map((name) => ({ name, text: fill(values, name, 0), otherText: fill(values, name, 1) }));
  const placed = new Map<keyof GroupValues, ValuePlaces>();
  const place = (name: keyof GroupValues, index: number, record: number): void => {
    const places = placed.get(name) ?? { name, indexes: [], steps: [], shown: 0 };
    placed.set(name, places);
    places.indexes.push(index);
    places.steps.push(name === 'group' ? 0 : record);
  };
  let start = 0;
  for (const [record, document] of documents.entries()) {
    const other = otherDocuments[record] ?? '';
    if (document.length !== other.length) return undefined;
    // An instant has quotes, which the values of JSON do not have: it is found nowhere else.
    const instantAt = values.instant === '' ? -1 : document.indexOf(values.instant);
    if (instantAt !== -1) place('instant', start + instantAt, record);
    for (let at = findDifference(document, other, 0); at < document.length;) {
      const here = at;
      const isHere = ({ text, otherText }: (typeof markers)[number]): boolean =>
        text !== '' && document.startsWith(text, here) && other.startsWith(otherText, here);
      const marker = markers.find(isHere);
      if (marker === undefined) return undefined;
      place(marker.name, start + at, record);
      at = findDifference(document, other, at + marker.text.length);
    }
    start += document.length;
  }
  const bytes = Buffer.from(documents.join(''), 'latin1');
  return bytes.length <= MAX_TEMPLATE_BYTES ? new DocumentTemplate(bytes, Array.from(placed.values())) : undefined;
}

/** The documents of the group that has a sample of the values: byte strings, so that indexes are those of bytes. */
function formatSample(
  form: DocumentForm,
  group: WholeGroup,
  values: GroupValues,
  source: string | undefined,
  sample: 0 | 1,
): readonly string[] {
  const textOf = (name: SampledName): string => fill(values, name, sample);
  const query = values.query === undefined ? '' : `?${textOf('query')}`;
  const fragment = values.fragment === undefined ? '' : `#${textOf('fragment')}`;
  const sampleGroup = { ...group, timestamp: textOf('timestamp'), target: `/${textOf('path')}${query}${fragment}` };
  const line = Number(textOf('firstLine'));
  const place = { line: Number(textOf('fileLine')), source };
  return recordsOf(sampleGroup).map((record) => {
    const logged = { record, line, text: formatRecord(record), group: Number(textOf('group')), second: group.second };
    return encodeText(form.format(logged, place));
  });
}

/** The text of a value in a sample. */
function fill(values: GroupValues, name: SampledName, sample: 0 | 1): string {
  const character = SAMPLE_CHARACTERS[sample].charAt(SAMPLED_NAMES.indexOf(name));
  return character.repeat(String(values[name] ?? '').length);
}

/** The first index from which on two texts of the same length differ; that length if they do not. */
function findDifference(text: string, otherText: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] === otherText[at]) at += 1;
  return at;
}

/** The places of a value in the documents of a group. */
interface ValuePlaces {
  readonly name: keyof GroupValues;
  /** The indexes of its bytes. */
  readonly indexes: number[];
  /** By how much a number is larger at each place than that of the first record. */
  readonly steps: number[];
  /** The number of the first record in the bytes now; 0 while there is none: numbers count from 1. */
  shown: number;
}

/**
 * The bytes of the documents of a group. The next group whose values have the same lengths differs only at the places of these values:
 * its documents are made by patching.
 */
export class DocumentTemplate {
  readonly #bytes: Buffer;
  readonly #places: readonly ValuePlaces[];

  /** @param bytes documents of any values of the lengths that the template is for */
  constructor(bytes: Buffer, places: readonly ValuePlaces[]) {
    this.#bytes = bytes;
    this.#places = places;
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
  render(values: GroupValues): Uint8Array {
    for (const places of this.#places) {
      const value = values[places.name];
      if (typeof value === 'number') patchNumbers(this.#bytes, places, value);
      else if (value !== undefined) patchText(this.#bytes, places, value);
    }
    return this.#bytes;
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

/** Replaces a number at all its places, from its last digit up to where it and the number shown are the same. */
function patchNumbers(bytes: Uint8Array, places: ValuePlaces, value: number): void {
  const { indexes, steps, shown } = places;
  if (value === shown) return;
  places.shown = value;
  const length = digitsOf(value);
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

/** The number of digits of a whole number from 0 on. */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
