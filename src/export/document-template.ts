import { encodeText } from '../log/byte-string.js';
import { formatRecord } from '../log/line.js';
import { recordsOf, type WholeGroup } from '../reading/whole-group.js';
import type { DocumentForm } from './document-form.js';

/** A request target in origin-form that needs no escaping in JSON. */
export interface PlainTarget {
  /** The path without its first slash. */
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

/** The values in which groups of one deployment, method, UTC offset and file differ. */
export interface GroupValues extends PlainTarget {
  readonly timestamp: string;
  /** The Unix second as `formatInstant` formats it. */
  readonly instant: string;
  /** Undefined where the load failures show none. */
  readonly sessionId: string | undefined;
  /** The line of the first record, counted over all files. The other records are on the next lines. */
  readonly firstLine: number;
  /** The same line, counted in its own file. */
  readonly fileLine: number;
  /** The number of the group. */
  readonly group: number;
}

/** Bounds the memory of templates: a log may have 500 plugins with paths of 4 KiB. Larger groups have no template. */
const MAX_TEMPLATE_BYTES = 1 << 20;

/** The values of two samples: each value is filled with its own character, a unique pair over the two samples. */
const SAMPLED_NAMES = ['timestamp', 'sessionId', 'path', 'query', 'fragment', 'firstLine', 'fileLine', 'group'] as const;
const SAMPLE_CHARACTERS = ['TSPQF357', 'tspqf468'] as const;
type SampledName = (typeof SAMPLED_NAMES)[number];

/**
 * Makes the template for groups whose values have the same lengths as these. Documents are formatted for two samples of values: the texts
 * differ exactly where a value is. So only `form` decides the content of documents.
 *
 * @param source the name of the file as a JSON string; undefined if the log is a single file
 * @returns undefined if documents differ by more than the values (a line that is not UTF-8 is there in base64 too), or are too large
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
  const slotsByName = new Map<keyof GroupValues, ValueSlots>();
  const addSlot = (name: keyof GroupValues, offset: number, record: number): void => {
    const slots = slotsByName.get(name) ?? { name, offsets: [], steps: [], shown: 0 };
    slotsByName.set(name, slots);
    slots.offsets.push(offset);
    slots.steps.push(name === 'group' ? 0 : record);
  };
  let start = 0;
  for (const [record, document] of documents.entries()) {
    const other = otherDocuments[record] ?? '';
    if (document.length !== other.length) return undefined;
    // An instant has quotes, which values in JSON do not have, so it is found nowhere else.
    const instantAt = values.instant === '' ? -1 : document.indexOf(values.instant);
    if (instantAt !== -1) addSlot('instant', start + instantAt, record);
    for (let at = findDifference(document, other, 0); at < document.length;) {
      const here = at;
      const isHere = ({ text, otherText }: (typeof markers)[number]): boolean =>
        text !== '' && document.startsWith(text, here) && other.startsWith(otherText, here);
      const marker = markers.find(isHere);
      if (marker === undefined) return undefined;
      addSlot(marker.name, start + at, record);
      at = findDifference(document, other, at + marker.text.length);
    }
    start += document.length;
  }
  const bytes = Buffer.from(documents.join(''), 'latin1');
  return bytes.length <= MAX_TEMPLATE_BYTES ? new DocumentTemplate(bytes, Array.from(slotsByName.values())) : undefined;
}

/** Formats the documents of the group with a sample of the values: byte strings, so that offsets are those of bytes. */
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
  const sampleGroup = {
    ...group,
    timestamp: textOf('timestamp'),
    ...(values.sessionId !== undefined && { sessionId: textOf('sessionId') }),
    target: `/${textOf('path')}${query}${fragment}`,
  };
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

/** The first index from `from` on at which two texts of equal length differ; that length if they do not differ. */
function findDifference(text: string, otherText: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] === otherText[at]) at += 1;
  return at;
}

/** The positions of a value in the documents of a group. */
interface ValueSlots {
  readonly name: keyof GroupValues;
  /** The offsets of its bytes. */
  readonly offsets: number[];
  /** The amount by which a number exceeds that of the first record at each offset. */
  readonly steps: number[];
  /** The number of the first record that the bytes show now; 0 while there is none. */
  shown: number;
}

/**
 * The bytes of the documents of a group. The documents of the next group whose values have the same lengths differ only in these values: they
 * are made by patching.
 */
export class DocumentTemplate {
  readonly #bytes: Buffer;
  readonly #slots: readonly ValueSlots[];

  /** @param bytes documents for any values of the lengths that the template is for */
  constructor(bytes: Buffer, slots: readonly ValueSlots[]) {
    this.#bytes = bytes;
    this.#slots = slots;
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
    for (const slots of this.#slots) {
      const value = values[slots.name];
      if (typeof value === 'number') patchNumbers(this.#bytes, slots, value);
      else if (value !== undefined) patchText(this.#bytes, slots, value);
    }
    return this.#bytes;
  }
}

/** Replaces a text in all its slots, from the first to the last character that differs. */
function patchText(bytes: Uint8Array, { offsets }: ValueSlots, text: string): void {
  const [first = 0] = offsets;
  let from = 0;
  while (from < text.length && bytes[first + from] === text.charCodeAt(from)) from += 1;
  if (from === text.length) return;
  let until = text.length;
  while (bytes[first + until - 1] === text.charCodeAt(until - 1)) until -= 1;
  for (const offset of offsets) {
    for (let at = from; at < until; at += 1) bytes[offset + at] = text.charCodeAt(at);
  }
}

const ZERO = 0x30;

/** Replaces a number in all its slots, from the last digit to the first that differs. */
function patchNumbers(bytes: Uint8Array, slots: ValueSlots, value: number): void {
  const { offsets, steps, shown } = slots;
  if (value === shown) return;
  slots.shown = value;
  const length = digitsOf(value);
  for (let slot = 0; slot < offsets.length; slot += 1) {
    const first = offsets[slot] ?? 0;
    const step = steps[slot] ?? 0;
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

/** The number of digits of a whole number (0 or more). */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
