import { parseRecord } from '../log/line.js';
import { TIMESTAMP_END } from '../log/record.js';
import { countOf, quoteBytes } from '../wording.js';
import { BETWEEN_INSTANTS, BETWEEN_VALUES, FIELD_NAMES, fieldOf, type FieldName } from './fields.js';

/** A shorter fragment of a record says nothing about where it comes from. */
export const MIN_FRAGMENT_BYTES = 8;

const COMMON_SHARE = 0.9;

export interface Alteration {
  /** Words that are safe for a terminal. Most of the possible pairs are never reported. */
  readonly describe: () => string;
  /** The share that the two have in common, up to 1: the best of several possible pairs is taken. */
  readonly likeness: number;
  /** One of the two is a fragment of the other: chance is ruled out. */
  readonly isFragment: boolean;
}

export type FindAlteration = (expected: string, received: string) => Alteration | undefined;

/** Finds the way in which a received record was made of an expected one: byte strings without LF, which differ. */
export function findAlteration(expected: string, received: string): Alteration | undefined {
  const start = commonStart(expected, received);
  const fragment = findFragment(expected, received, start);
  if (fragment !== undefined) return fragment;
  const end = commonEnd(expected, received, start);
  const likeness = (start + end) / Math.max(expected.length, received.length, 1);
  const describeField = findFieldChange(expected, received, start, expected.length - end);
  if (describeField === undefined && likeness < COMMON_SHARE) return undefined;
  const describe = (): string => {
    const from = quoteBytes(expected.slice(start, expected.length - end));
    const to = quoteBytes(received.slice(start, received.length - end));
    return `${from} has become ${to} after ${countOf(start, 'byte')}`;
  };
  return { describe: describeField ?? describe, likeness, isFragment: false };
}

/** A beginning is taken before other fragments: the rest may follow it. */
function findFragment(expected: string, received: string, start: number): Alteration | undefined {
  const isCut = received.length < expected.length;
  const [short, long] = isCut ? [received, expected] : [expected, received];
  const rest = long.length - short.length;
  const isStart = start === short.length;
  if (isStart && rest === 1 && long.endsWith('\r'))
    return { describe: () => (isCut ? 'the CR at its end is gone' : 'an extra CR at its end'), likeness: 1, isFragment: true };
  if (rest === 0 || short.length < MIN_FRAGMENT_BYTES) return undefined;
  const at = isStart ? 0 : long.endsWith(short) ? rest : findPiece(long, short);
  if (at === -1) return undefined;
  const describe = (): string => {
    const before = isCut ? `its first ${countOf(at, 'byte')} gone` : `${countOf(at, 'byte')} more before it`;
    const more = isStart ? `${countOf(rest, 'byte')} more at its end` : `${String(rest - at)} behind it`;
    const behind = isCut ? `cut after ${countOf(at + short.length, 'byte')}` : more;
    return [...(at > 0 ? [before] : []), ...(at < rest ? [behind] : [])].join(', ');
  };
  return { describe, likeness: isCut && isStart ? 1 : 0.9 + (0.1 * short.length) / long.length, isFragment: true };
}

/** Long pieces are found by a beginning of this length, in the first places that have it: time stays linear. */
const PROBE_BYTES = 64;
const MAX_PROBES = 16;

/** The index of a piece in a text from an index on; -1 for none. In a text that repeats itself, not every place is looked at. */
export function findPiece(text: string, piece: string, from = 0): number {
  if (piece.length <= PROBE_BYTES) return text.indexOf(piece, from);
  const probe = piece.slice(0, PROBE_BYTES);
  let at = text.indexOf(probe, from);
  for (let probes = 1; at !== -1 && !text.startsWith(piece, at); probes += 1) {
    if (probes === MAX_PROBES) return -1;
    at = text.indexOf(probe, at + 1);
  }
  return at;
}

function findFieldChange(expected: string, received: string, from: number, until: number): (() => string) | undefined {
  // If both are records, the part of the received record holds as many spaces.
  if (!isWithinField(expected, from, until)) return undefined;
  const sent = parseRecord(expected);
  const came = parseRecord(received);
  if (sent === undefined || came === undefined) return undefined;
  const name = FIELD_NAMES.find((known) => fieldOf(sent, known) !== fieldOf(came, known));
  return name && (() => describeChange(name, fieldOf(sent, name), fieldOf(came, name)));
}

/** False if bytes of several fields are in a part of a record: no field but the timestamp, which comes first, holds a space. */
function isWithinField(record: string, from: number, until: number): boolean {
  if (from < TIMESTAMP_END) return until <= TIMESTAMP_END;
  const space = record.indexOf(' ', from);
  return space === -1 || space >= until;
}

function describeChange(name: string, from: string, to: string): string {
  return `${name} ${quoteBytes(from)} has become ${quoteBytes(to)}`;
}

function commonStart(first: string, second: string): number {
  const limit = Math.min(first.length, second.length);
  let length = 0;
  while (length < limit && first.charCodeAt(length) === second.charCodeAt(length)) length += 1;
  return length;
}

function commonEnd(first: string, second: string, start: number): number {
  const limit = Math.min(first.length, second.length) - start;
  let length = 0;
  while (length < limit && first.charCodeAt(first.length - 1 - length) === second.charCodeAt(second.length - 1 - length))
    length += 1;
  return length;
}

export function findFieldsAlteration(names: readonly FieldName[]): FindAlteration {
  return (expected, received) => {
    const came = received.split(BETWEEN_VALUES);
    const sent = expected.split(BETWEEN_VALUES).map((value) => value.split(BETWEEN_INSTANTS));
    const [changed, ...more] = names.flatMap((_, index) => (sent[index]?.includes(came[index] ?? '') === true ? [] : [index]));
    if (changed === undefined || more.length > 0 || sent.length !== came.length) return undefined;
    const describe = (): string => describeChange(names[changed] ?? '', sent[changed]?.[0] ?? '', came[changed] ?? '');
    return { describe, likeness: 1 - 1 / (names.length + 1), isFragment: false };
  };
}

/** True if a line is two expected records behind one another, each of which may be cut at its end. */
export function isJoined(first: string, second: string, received: string): boolean {
  if (received.endsWith(second)) {
    const before = received.slice(0, received.length - second.length);
    if (before !== '' && (first.startsWith(before) || before.startsWith(first) || before.endsWith(first))) return true;
  }
  const behind = received.slice(first.length);
  return (
    received.startsWith(first) && behind.length >= MIN_FRAGMENT_BYTES && (second.startsWith(behind) || behind.startsWith(second))
  );
}
