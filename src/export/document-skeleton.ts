import { formatRecord } from '../log/line.js';
import { recordsOf, type WholeGroup } from '../reading/whole-group.js';
import type { DocumentForm } from './document-form.js';
import type { TargetMarks } from './split-target.js';

/** The values that differ between groups of one skeleton. */
export interface GroupValues {
  readonly timestamp: string;
  /** The text by which a document shows the Unix second. */
  readonly instant: string;
  /** The parts of the request target, as documents hold them; empty for parts that it does not have. */
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  /** The line of the first record, counted over all files. The other records are on the lines behind. */
  readonly firstLine: number;
  /** The same line, counted in its own file. */
  readonly fileLine: number;
  /** The number of the group. */
  readonly group: number;
}

/** The properties that groups of one skeleton share, beside deployment, method and UTC offset. */
interface SkeletonKind {
  /** The marks of their targets. */
  readonly marks: TargetMarks;
  /** The name of the file as a JSON string; undefined where the log is a single file. */
  readonly source: string | undefined;
}

/** The documents of a group, cut at the values that differ between groups. */
export interface Skeleton {
  /** The bytes before, between and behind the values. */
  readonly parts: readonly Buffer[];
  /** The values between the parts, in order. */
  readonly slots: readonly Slot[];
}

/** A place for a value. */
export interface Slot {
  readonly name: keyof GroupValues;
  /** The index of the record whose document has the place. */
  readonly record: number;
}

type Sample = Omit<GroupValues, 'instant'> & { readonly second: number };

/** Two samples of the values, of equal lengths. No two values have the same pair of first characters that differ. */
const SAMPLE: Sample = {
  timestamp: 'T'.repeat(20),
  second: 111_111_111,
  path: '/P',
  query: 'Q',
  fragment: 'F',
  firstLine: 3,
  fileLine: 5,
  group: 7,
};
const OTHER_SAMPLE: Sample = {
  timestamp: 't'.repeat(20),
  second: 999_999_999,
  path: '/p',
  query: 'q',
  fragment: 'f',
  firstLine: 4,
  fileLine: 6,
  group: 8,
};

/** A value, and its texts in the documents of the two samples. */
interface Marker {
  readonly name: keyof GroupValues;
  readonly text: string;
  readonly otherText: string;
  /** The number of characters before the first that differs. */
  readonly shared: number;
}

/**
 * Cuts the documents of a group at its values. The documents are formatted for two samples of the values: where their texts differ, a
 * value stands. So `form` alone says what a document holds.
 *
 * @param group of the deployment, the method and the UTC offset of the skeleton
 * @returns undefined if documents differ by more than the values. A line that is not UTF-8 also stands there in base64.
 */
export function cutSkeleton(form: DocumentForm, group: WholeGroup, kind: SkeletonKind): Skeleton | undefined {
  const markers = markersIn(form);
  const otherDocuments = formatSample(form, group, kind, OTHER_SAMPLE);
  const parts: string[] = [];
  const slots: Slot[] = [];
  let part = '';
  for (const [record, document] of formatSample(form, group, kind, SAMPLE).entries()) {
    const found = findMarkers(markers, document, otherDocuments[record] ?? '');
    if (found === undefined) return undefined;
    let end = 0;
    for (const { marker, at } of found) {
      parts.push(part + document.slice(end, at));
      slots.push({ name: marker.name, record });
      part = '';
      end = at + marker.text.length;
    }
    part += document.slice(end);
  }
  return { parts: [...parts, part].map((text) => Buffer.from(text)), slots };
}

/** The documents of the group that has the values of a sample. */
function formatSample(form: DocumentForm, group: WholeGroup, kind: SkeletonKind, sample: Sample): string[] {
  const { timestamp, second, path, query, fragment, firstLine: line, fileLine, group: number } = sample;
  const { marks, source } = kind;
  const target = `${path}${marks.includes('?') ? `?${query}` : ''}${marks.includes('#') ? `#${fragment}` : ''}`;
  return recordsOf({ ...group, timestamp, second, target }).map((record) =>
    form.format({ record, line, text: formatRecord(record), group: number, second }, { line: fileLine, source }),
  );
}

const VALUE_NAMES = ['timestamp', 'instant', 'path', 'query', 'fragment', 'firstLine', 'fileLine', 'group'] as const;

function markersIn(form: DocumentForm): readonly Marker[] {
  const values = { ...SAMPLE, instant: form.formatInstant(SAMPLE.second) };
  const otherValues = { ...OTHER_SAMPLE, instant: form.formatInstant(OTHER_SAMPLE.second) };
  return VALUE_NAMES.map((name) => {
    const text = String(values[name]);
    const otherText = String(otherValues[name]);
    return { name, text, otherText, shared: findDifference(text, otherText, 0) };
  });
}

/** Finds the values in the documents of the two samples, in order; undefined if the documents differ elsewhere. */
function findMarkers(
  markers: readonly Marker[],
  document: string,
  otherDocument: string,
): readonly { readonly marker: Marker; readonly at: number }[] | undefined {
  if (document.length !== otherDocument.length) return undefined;
  const found: { marker: Marker; at: number }[] = [];
  let difference = findDifference(document, otherDocument, 0);
  while (difference < document.length) {
    const differsAt = difference;
    const isHere = ({ text, otherText, shared }: Marker): boolean =>
      document.startsWith(text, differsAt - shared) && otherDocument.startsWith(otherText, differsAt - shared);
    const marker = markers.find((marker) => isHere(marker));
    if (marker === undefined) return undefined;
    const at = differsAt - marker.shared;
    found.push({ marker, at });
    difference = findDifference(document, otherDocument, at + marker.text.length);
  }
  return found;
}

/** The first index from which on two texts of the same length differ; that length if they do not. */
function findDifference(text: string, otherText: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] === otherText[at]) at += 1;
  return at;
}
